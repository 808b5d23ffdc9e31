"""LangGraph: the prebuilt agent of LangChain on a graph with a checkpointer."""
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from tools import API, MODEL, PROMPTS, STREAM, SYSTEM, TOOLS, URL

if API == "messages":
    from langchain_anthropic import ChatAnthropic
    model = ChatAnthropic(model=MODEL, base_url=URL, api_key="dummy", streaming=STREAM, max_tokens=4000, thinking={"type": "enabled", "budget_tokens": 1024})
else:
    from langchain_openai import ChatOpenAI
    responses = {"use_responses_api": True, "reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"], "store": False} if API == "responses" else {}
    model = ChatOpenAI(model=MODEL, base_url=f"{URL}/v1", api_key="dummy", streaming=STREAM, **responses)
agent = create_agent(model, TOOLS, system_prompt=SYSTEM, checkpointer=InMemorySaver())
for prompt in PROMPTS:
    settings = {"configurable": {"thread_id": "one"}, "recursion_limit": 400}
    last = None
    for last in agent.stream({"messages": [{"role": "user", "content": prompt}]}, settings, stream_mode="values"):
        pass
    print(last["messages"][-1].text)

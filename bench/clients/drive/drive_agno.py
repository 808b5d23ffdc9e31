"""Agno: an agent that keeps its history in a database in memory."""
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from tools import API, MODEL, PROMPTS, STREAM, SYSTEM, TOOLS, URL

if API == "messages":
    from agno.models.anthropic import Claude
    model = Claude(id=MODEL, api_key="dummy", max_tokens=4000, client_params={"base_url": URL})
elif API == "chat":
    from agno.models.openai import OpenAIChat
    model = OpenAIChat(id=MODEL, base_url=f"{URL}/v1", api_key="dummy")
else:
    from agno.models.openai import OpenAIResponses
    model = OpenAIResponses(id=MODEL, base_url=f"{URL}/v1", api_key="dummy", store=False)
agent = Agent(model=model, tools=TOOLS, instructions=SYSTEM, db=InMemoryDb(), add_history_to_context=True, num_history_runs=20, telemetry=False)
for prompt in PROMPTS:
    if STREAM:
        print("".join(event.content or "" for event in agent.run(prompt, session_id="one", stream=True)))
    else:
        print(agent.run(prompt, session_id="one").content)

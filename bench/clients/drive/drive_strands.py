"""Strands Agents, without its own sliding window."""
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from tools import API, MODEL, PROMPTS, SYSTEM, TOOLS, URL

if API == "messages":
    from strands.models.anthropic import AnthropicModel
    model = AnthropicModel(client_args={"base_url": URL, "api_key": "dummy"}, model_id=MODEL, max_tokens=4000)
else:
    from strands.models.openai import OpenAIModel
    model = OpenAIModel(client_args={"base_url": f"{URL}/v1", "api_key": "dummy"}, model_id=MODEL)
agent = Agent(model=model, tools=[tool(function) for function in TOOLS], system_prompt=SYSTEM, conversation_manager=NullConversationManager(), callback_handler=None)
for prompt in PROMPTS:
    print(agent(prompt))

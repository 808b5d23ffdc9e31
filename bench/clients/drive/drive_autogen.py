"""AutoGen: an assistant agent that goes on until it answers without a call."""
import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily
from tools import API, MODEL, PROMPTS, STREAM, SYSTEM, TOOLS, URL


async def main():
    info = {"vision": False, "function_calling": True, "json_output": True, "family": ModelFamily.UNKNOWN, "structured_output": False}
    if API == "messages":
        from autogen_ext.models.anthropic import AnthropicChatCompletionClient
        model = AnthropicChatCompletionClient(model=MODEL, base_url=URL, api_key="dummy", model_info=info)
    else:
        from autogen_ext.models.openai import OpenAIChatCompletionClient
        model = OpenAIChatCompletionClient(model=MODEL, base_url=f"{URL}/v1", api_key="dummy", model_info=info)
    agent = AssistantAgent("careful", model, tools=TOOLS, system_message=SYSTEM, model_client_stream=STREAM, max_tool_iterations=200)
    for prompt in PROMPTS:
        result = await agent.run(task=prompt)
        print(result.messages[-1].content)

asyncio.run(main())

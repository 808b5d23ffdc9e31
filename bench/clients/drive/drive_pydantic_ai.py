"""Pydantic AI: the messages of one run are the history of the next."""
import asyncio

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits
from tools import API, MODEL, PROMPTS, STREAM, SYSTEM, TOOLS, URL


async def read(_, events):
    async for _ in events:
        pass


async def main():
    if API == "messages":
        model = AnthropicModel(MODEL, provider=AnthropicProvider(base_url=URL, api_key="dummy"))
        settings = {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 4000}
    else:
        kind = OpenAIResponsesModel if API == "responses" else OpenAIChatModel
        model, settings = kind(MODEL, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key="dummy")), {"openai_reasoning_effort": "low"}
    agent, history = Agent(model, instructions=SYSTEM, tools=TOOLS, model_settings=settings), []
    for prompt in PROMPTS:
        limits = UsageLimits(request_limit=None)
        result = await agent.run(prompt, message_history=history, usage_limits=limits, event_stream_handler=read if STREAM else None)
        print(result.output)
        history = result.all_messages()

asyncio.run(main())

"""OpenAI Agents SDK: the history of one run is the input of the next."""
import asyncio

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from openai.types.shared import Reasoning
from tools import API, MODEL, PROMPTS, STREAM, SYSTEM, TOOLS, URL


async def main():
    set_tracing_disabled(True)
    kind = OpenAIResponsesModel if API == "responses" else OpenAIChatCompletionsModel
    model = kind(MODEL, AsyncOpenAI(base_url=f"{URL}/v1", api_key="dummy"))
    settings = ModelSettings(reasoning=Reasoning(effort="low"), store=False, response_include=["reasoning.encrypted_content"]) if API == "responses" else ModelSettings()
    agent = Agent("careful", instructions=SYSTEM, tools=[function_tool(tool) for tool in TOOLS], model=model, model_settings=settings)
    history = []
    for prompt in PROMPTS:
        history.append({"role": "user", "content": prompt})
        if STREAM:
            result = Runner.run_streamed(agent, history, max_turns=200)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(agent, history, max_turns=200)
        history = result.to_input_list()
        print(result.final_output)

asyncio.run(main())

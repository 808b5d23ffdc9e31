"""smolagents: its agent with tool calls; it has no answer without a call, so that `final_answer` stands for one."""
from smolagents import OpenAIServerModel, ToolCallingAgent, tool
from tools import MODEL, PROMPTS, STREAM, TOOLS, URL

model = OpenAIServerModel(MODEL, api_base=f"{URL}/v1", api_key="dummy")
agent = ToolCallingAgent([tool(function) for function in TOOLS], model, max_steps=200, stream_outputs=STREAM, verbosity_level=0)
for at, prompt in enumerate(PROMPTS):
    print(agent.run(prompt, reset=at == 0))

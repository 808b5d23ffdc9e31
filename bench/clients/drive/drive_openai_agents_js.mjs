// OpenAI Agents SDK for Node: the history of one run is the input of the next.
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { api, model, prompts, readFile, runShell, stream, system, url, writeFile } from "./tools.mjs";

const modelProvider = new OpenAIProvider({ baseURL: `${url}/v1`, apiKey: "dummy", useResponses: api === "responses" });
const runner = new Runner({ modelProvider, tracingDisabled: true });
const path = z.string();
const tools = [
  tool({ name: "run_shell", description: "Runs a command in the shell.", parameters: z.object({ command: z.string() }), execute: runShell }),
  tool({ name: "read_file", description: "Reads a file.", parameters: z.object({ path }), execute: readFile }),
  tool({ name: "write_file", description: "Writes a file.", parameters: z.object({ path, content: z.string() }), execute: writeFile }),
];
const agent = new Agent({ name: "careful", instructions: system, model, tools });
let history = [];
for (const prompt of prompts) {
  history.push({ role: "user", content: prompt });
  const result = await runner.run(agent, history, { maxTurns: 200, stream });
  if (stream) {
    for await (const _ of result);
    await result.completed;
  }
  history = result.history;
  console.log(result.finalOutput);
}

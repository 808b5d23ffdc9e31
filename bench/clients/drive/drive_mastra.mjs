// Mastra: an agent with tools; the messages of one call are the beginning of the next.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { api, model, prompts, readFile, runShell, stream, system, url, writeFile } from "./tools.mjs";

const chosen = api === "messages" ? createAnthropic({ baseURL: `${url}/v1`, apiKey: "dummy" })(model) : createOpenAI({ baseURL: `${url}/v1`, apiKey: "dummy" }).responses(model);
const path = z.string();
const make = (id, description, shape, run) => createTool({ id, description, inputSchema: z.object(shape), execute: async (given) => run(given.context ?? given) });
const tools = {
  run_shell: make("run_shell", "Runs a command in the shell.", { command: z.string() }, runShell),
  read_file: make("read_file", "Reads a file.", { path }, readFile),
  write_file: make("write_file", "Writes a file.", { path, content: z.string() }, writeFile),
};
const agent = new Agent({ id: "careful", name: "careful", instructions: system, model: chosen, tools });
let messages = [];
for (const prompt of prompts) {
  messages.push({ role: "user", content: prompt });
  const result = stream ? await agent.stream(messages, { maxSteps: 200 }) : await agent.generate(messages, { maxSteps: 200 });
  if (stream) await result.consumeStream();
  console.log(await result.text);
  messages.push(...(await result.response).messages);
}

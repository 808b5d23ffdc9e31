// Vercel AI SDK: a loop of tool calls by generateText or streamText.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { api, model, prompts, readFile, runShell, stream, system, url, writeFile } from "./tools.mjs";

const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "dummy" });
const chosen = { messages: () => createAnthropic({ baseURL: `${url}/v1`, apiKey: "dummy" })(model), chat: () => openai.chat(model), responses: () => openai.responses(model) }[api]();
const path = z.string();
const tools = {
  run_shell: tool({ description: "Runs a command in the shell.", inputSchema: z.object({ command: z.string() }), execute: runShell }),
  read_file: tool({ description: "Reads a file.", inputSchema: z.object({ path }), execute: readFile }),
  write_file: tool({ description: "Writes a file.", inputSchema: z.object({ path, content: z.string() }), execute: writeFile }),
};
const stored = process.env.WIRE_WAY === "stored"; // what it does by default: items are named, not sent again
const messages = [];
for (const prompt of prompts) {
  messages.push({ role: "user", content: prompt });
  const providerOptions = { openai: stored ? { reasoningEffort: "low" } : { reasoningEffort: "low", store: false, include: ["reasoning.encrypted_content"] }, anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } };
  const given = { model: chosen, system, messages, tools, stopWhen: stepCountIs(200), providerOptions };
  const result = stream ? streamText(given) : await generateText(given);
  if (stream) await result.consumeStream();
  messages.push(...(await result.response).messages);
  console.log(await result.text);
}

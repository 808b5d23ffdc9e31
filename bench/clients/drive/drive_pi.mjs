// pi: its command line, once for each request, in one session.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { api, dir, model, prompts, url } from "./tools.mjs";

const kind = { messages: "anthropic-messages", chat: "openai-completions", responses: "openai-responses" }[api];
mkdirSync(`${process.env.HOME}/.pi/agent`, { recursive: true });
const known = { id: model, name: model, reasoning: api !== "chat", input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000000, maxTokens: 8000 };
const provider = { baseUrl: api === "messages" ? url : `${url}/v1`, api: kind, apiKey: "dummy", models: [known] };
writeFileSync(`${process.env.HOME}/.pi/agent/models.json`, JSON.stringify({ providers: { wire: provider } }));
prompts.forEach((prompt, at) => {
  const given = ["--offline", "--provider", "wire", "--model", model, "--thinking", "low", ...(at ? ["--continue"] : []), "-p", prompt];
  console.log(execFileSync(`${dir}/node_modules/.bin/pi`, given, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
});

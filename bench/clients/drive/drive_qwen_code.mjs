// Qwen Code: its command line, once for each request, in one session.
import { execFileSync } from "node:child_process";
import { api, dir, model, prompts, url } from "./tools.mjs";

const type = { messages: "anthropic", chat: "openai", responses: "openai-responses" }[api];
const base = api === "messages" ? url : `${url}/v1`;
const env = { ...process.env, OPENAI_BASE_URL: base, ANTHROPIC_BASE_URL: base, OPENAI_MODEL: model, ANTHROPIC_MODEL: model };
prompts.forEach((prompt, at) => {
  const given = ["--yolo", "--auth-type", type, "-m", model, ...(at ? ["--continue"] : []), "-p", prompt];
  console.log(execFileSync(`${dir}/node_modules/.bin/qwen`, given, { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
});

// What the drivers of Node share: what they are to do, and three tools.
import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

export const { WIRE_URL: url, WIRE_API: api, WIRE_MODEL: model, WIRE_DIR: dir } = process.env;
export const stream = process.env.WIRE_STREAM === "1";
export const prompts = JSON.parse(process.env.WIRE_PROMPTS);
export const system = "You are a careful agent. Use your tools, one step at a time, and report in one line.";

export function runShell({ command }) {
  try {
    return execSync(command, { encoding: "utf8", stdio: "pipe" });
  } catch (failed) {
    return `${failed.stdout}${failed.stderr}exit code ${failed.status}\n`;
  }
}

export const readFile = ({ path }) => readFileSync(path, "utf8");

export function writeFile({ path, content }) {
  writeFileSync(path, content);
  return `wrote ${content.length} characters to ${path}`;
}

"""An agent without a library: a system message behind every message of the user and every result, as some models are reminded."""
import json, os, urllib.request

from tools import API, MODEL, PROMPTS, SYSTEM, TOOLS, URL

SCHEMAS = {"run_shell": ["command"], "read_file": ["path"], "write_file": ["path", "content"]}
PATH = {"messages": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}[API]
HEADERS = {"content-type": "application/json", "authorization": "Bearer dummy", "anthropic-version": "2026-10-21"}
history, left = [], 14_979_436


def remind(text):
    if os.environ["WIRE_WAY"] != "reminded":
        return
    history.append({"role": {"messages": "system", "chat": "system", "responses": "developer"}[API], "content": f"<system-reminder>\n{text}\n</system-reminder>"})


def ask():
    """→ the text, and calls as (id, name, arguments)"""
    tools = []
    for name, keys in SCHEMAS.items():
        schema = {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys}
        tools.append({"messages": {"name": name, "input_schema": schema}, "responses": {"type": "function", "name": name, "parameters": schema},
                      "chat": {"type": "function", "function": {"name": name, "parameters": schema}}}[API])
    body = {"model": MODEL, "tools": tools, "input" if API == "responses" else "messages": history}
    body |= {"messages": {"system": SYSTEM, "max_tokens": 4000}, "responses": {"instructions": SYSTEM, "store": False}, "chat": {}}[API]
    if API == "chat":
        body["messages"] = [{"role": "system", "content": SYSTEM}, *history]
    with urllib.request.urlopen(urllib.request.Request(URL + PATH, json.dumps(body).encode(), HEADERS)) as answer:
        said = json.load(answer)
    if API == "messages":
        history.append({"role": "assistant", "content": said["content"]})
        texts = [block["text"] for block in said["content"] if block["type"] == "text"]
        return texts[0], [(block["id"], block["name"], block["input"]) for block in said["content"] if block["type"] == "tool_use"]
    if API == "chat":
        history.append(said["choices"][0]["message"])
        calls = history[-1].get("tool_calls") or []
        return history[-1]["content"], [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    history.extend(said["output"])
    texts = [item["content"][0]["text"] for item in said["output"] if item["type"] == "message"]
    return "".join(texts), [(item["call_id"], item["name"], json.loads(item["arguments"])) for item in said["output"] if item["type"] == "function_call"]


for at, prompt in enumerate(PROMPTS):
    history.append({"role": "user", "content": prompt})
    remind(f"Attribution for part {at}: none. Answer in English.")
    while True:
        text, calls = ask()
        if not calls:
            break
        outputs = [(name, {tool.__name__: tool for tool in TOOLS}[function](**given)) for name, function, given in calls]
        if API == "messages":
            history.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": output} for name, output in outputs]})
        elif API == "chat":
            history.extend({"role": "tool", "tool_call_id": name, "content": output} for name, output in outputs)
        else:
            history.extend({"type": "function_call_output", "call_id": name, "output": output} for name, output in outputs)
        left -= sum(len(output) // 4 for _, output in outputs)
        remind(f"<total_tokens>{left} tokens left</total_tokens>")
    print(text)

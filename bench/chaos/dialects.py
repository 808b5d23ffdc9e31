"""The three dialects: what an agent sends, what a provider answers, and what a provider refuses.

A request is written so that its messages stand last but for `stream`: what comes before their end is the prompt, byte for byte.
"""

import json
import re

MARKER = re.compile(rb',"cache_control":\{[^{}]*\}')


def ser(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def event(value):
    name = b"event: " + value["type"].encode() + b"\n" if "type" in value else b""
    return name + b"data: " + ser(value) + b"\n\n"


def prompt(body):
    """The part of a request that the next one of its session begins with; markers for caches apart."""
    end = body.rfind(b'],"stream":')
    return MARKER.sub(b"", body[:end] if end >= 0 else body)


def tokens(body):
    """As providers are played here: four characters are a token."""
    return len(prompt(body).decode("utf-8", "replace")) // 4


class Dialect:
    def credential(self, key):
        return {"authorization": f"Bearer {key}"}

    def body(self, system, elements, stream):
        head, leading = self.head(system)
        messages = b",".join([*leading, *elements])
        return ser(head)[:-1] + b',"' + self.list_key.encode() + b'":[' + messages + b'],"stream":' + ser(stream) + b"}"

    def error(self, message, code):
        return {"error": {"message": message, "type": "invalid_request_error", "param": "messages", "code": code}}


class Messages(Dialect):
    name, path, model, list_key, end = "anthropic", "/v1/messages", "claude-sonnet-4-5", "messages", b"event: message_stop"

    def credential(self, key):
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def head(self, system):
        tools = [{"name": "shell", "description": "Runs it.", "input_schema": {"type": "object"}}]
        return {"model": self.model, "max_tokens": 500, "system": [{"type": "text", "text": system}], "tools": tools}, []

    def user(self, text):
        return [ser({"role": "user", "content": [{"type": "text", "text": text}]})]

    def result(self, call, text):
        block = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}]}
        return [ser({"role": "user", "content": [block]})]

    def blocks(self, text, call):
        use = [{"type": "tool_use", "id": call, "name": "shell", "input": {"command": f"run {call}"}}] if call else []
        return [{"type": "text", "text": text}, *use]

    def said(self, text, call):
        return [ser({"role": "assistant", "content": self.blocks(text, call)})]

    def whole(self, text, call, used):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": self.blocks(text, call),
                "stop_reason": "tool_use" if call else "end_turn", "usage": {"input_tokens": used, "output_tokens": 20}}

    def events(self, text, call, used):
        whole = self.whole(text, call, used)
        yield event({"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}})
        for index, block in enumerate(whole["content"]):
            is_text = block["type"] == "text"
            delta = {"type": "text_delta", "text": text} if is_text else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield event({"type": "content_block_start", "index": index, "content_block": {**block, "text" if is_text else "input": "" if is_text else {}}})
            yield event({"type": "content_block_delta", "index": index, "delta": delta})
            yield event({"type": "content_block_stop", "index": index})
        yield event({"type": "message_delta", "delta": {"stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 20}})
        yield event({"type": "message_stop"})

    def error(self, message, code):
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}

    def parts(self, message):
        """Its role, the calls that it makes, and the calls whose results it brings."""
        blocks = message["content"] if isinstance(message["content"], list) else []
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        return message["role"], calls, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]


class Chat(Dialect):
    name, path, model, list_key, end = "chat", "/v1/chat/completions", "gpt-4o", "messages", b"data: [DONE]"

    def head(self, system):
        function = {"name": "shell", "description": "Runs it.", "parameters": {"type": "object"}}
        return {"model": self.model, "tools": [{"type": "function", "function": function}]}, [ser({"role": "system", "content": system})]

    def user(self, text):
        return [ser({"role": "user", "content": text})]

    def result(self, call, text):
        return [ser({"role": "tool", "tool_call_id": call, "content": text})]

    def message(self, text, call):
        function = {"name": "shell", "arguments": json.dumps({"command": f"run {call}"})}
        calls = {"tool_calls": [{"id": call, "type": "function", "function": function}]} if call else {}
        return {"role": "assistant", "content": text, **calls}

    def said(self, text, call):
        return [ser(self.message(text, call))]

    def whole(self, text, call, used):
        choice = {"index": 0, "message": self.message(text, call), "finish_reason": "tool_calls" if call else "stop"}
        usage = {"prompt_tokens": used, "completion_tokens": 20, "total_tokens": used + 20}
        return {"id": "chatcmpl-1", "object": "chat.completion", "model": self.model, "choices": [choice], "usage": usage}

    def events(self, text, call, used):
        whole = self.whole(text, call, used)
        calls = [{"tool_calls": [{"index": 0, **called}]} for called in self.message(text, call).get("tool_calls", [])]
        for delta in [{"role": "assistant", "content": ""}, {"content": text}, *calls, {}]:
            choice = {"index": 0, "delta": delta, "finish_reason": None if delta else whole["choices"][0]["finish_reason"]}
            yield event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.model, "choices": [choice]})
        yield event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": whole["usage"]})
        yield b"data: [DONE]\n\n"

    def parts(self, message):
        results = [message["tool_call_id"]] if message["role"] == "tool" else []
        return message["role"], [call["id"] for call in message.get("tool_calls") or []], results


class Responses(Dialect):
    name, path, model, list_key, end = "responses", "/v1/responses", "gpt-5.1", "input", b"event: response.completed"

    def head(self, system):
        tools = [{"type": "function", "name": "shell", "description": "Runs it.", "parameters": {"type": "object"}, "strict": False}]
        return {"model": self.model, "instructions": system, "tools": tools, "store": False}, []

    def user(self, text):
        return [ser({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})]

    def result(self, call, text):
        return [ser({"type": "function_call_output", "call_id": call, "output": text})]

    def items(self, text, call):
        part = {"type": "output_text", "text": text, "annotations": []}
        yield {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        if call:
            yield {"type": "function_call", "id": f"fc_{call}", "call_id": call, "name": "shell",
                   "arguments": json.dumps({"command": f"run {call}"}), "status": "completed"}

    def said(self, text, call):
        return [ser(item) for item in self.items(text, call)]

    def whole(self, text, call, used):
        usage = {"input_tokens": used, "output_tokens": 20, "total_tokens": used + 20}
        return {"id": "resp_1", "object": "response", "status": "completed", "model": self.model, "output": [*self.items(text, call)],
                "usage": usage, "error": None}

    def events(self, text, call, used):
        whole = self.whole(text, call, used)
        yield event({"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}})
        for index, item in enumerate(whole["output"]):
            empty = {"content": []} if "content" in item else {"arguments": ""}
            yield event({"type": "response.output_item.added", "output_index": index, "item": {**item, "status": "in_progress", **empty}})
            if "content" in item:
                yield event({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": index, "content_index": 0, "delta": text})
            yield event({"type": "response.output_item.done", "output_index": index, "item": item})
        yield event({"type": "response.completed", "response": whole})

    def parts(self, item):
        kind = item.get("type", "message")
        if kind == "function_call":
            return "assistant", [item["call_id"]], []
        return ("tool", [], [item["call_id"]]) if kind == "function_call_output" else (item["role"], [], [])


ALL = [Messages(), Chat(), Responses()]


def of(path):
    return next((dialect for dialect in ALL if path.split("?")[0].endswith(dialect.path)), None)


def refused(dialect, body):
    """Why a provider would refuse this request; None: it would not."""
    try:
        messages = [dialect.parts(message) for message in json.loads(body)[dialect.list_key]]
    except (ValueError, KeyError, TypeError) as error:
        return f"unreadable: {error!r}"
    messages = [message for message in messages if message[0] not in ("system", "developer")]
    if not messages or messages[0][0] != "user":
        return "it does not begin with a user"
    open_calls, before = set(), None
    for role, calls, results in messages:
        if orphans := set(results) - open_calls:
            return f"a result of {orphans}, which nobody called"
        open_calls -= set(results)
        if open_calls and role == "user":
            return f"no result of {open_calls}"
        if dialect.name == "anthropic" and role == before:
            return f"two messages of {role} in a row"
        open_calls |= set(calls)
        before = role
    return f"no result of {open_calls}" if open_calls else None


def answered(dialect, stream, answer):
    """Whether a client has the whole answer, with its last event."""
    if answer.status != 200 or not answer.whole:
        return False
    if stream:
        return dialect.end in answer.body
    try:
        return isinstance(json.loads(answer.body), dict)
    except (ValueError, RecursionError):
        return False

"""The three dialects: what an agent sends, what a provider answers, and what a provider refuses.

A request is written so that its messages stand last but for `stream`: what comes before their end is the prompt, byte for byte.
"""

import json
import re


def ser(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def data(event, name=None):
    return (b"event: " + name.encode() + b"\n" if name else b"") + b"data: " + ser(event) + b"\n\n"


MARKER = re.compile(rb',"cache_control":\{[^{}]*\}')


def prompt(body):
    """The part of a request that the next one of its session begins with; markers for caches apart."""
    end = body.rfind(b'],"stream":')
    return MARKER.sub(b"", body[:end] if end >= 0 else body)


def tokens(body):
    """As providers are played here: four characters are a token."""
    return len(prompt(body).decode("utf-8", "replace")) // 4


class Messages:
    name, path, end = "anthropic", "/v1/messages", b"event: message_stop"
    model, list_key = "claude-sonnet-4-5", "messages"
    credential = staticmethod(lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"})

    def body(self, system, elements, stream, model=None):
        tools = [{"name": "shell", "description": "Runs it.", "input_schema": {"type": "object"}}]
        head = ser({"model": model or self.model, "max_tokens": 500, "system": [{"type": "text", "text": system}], "tools": tools})
        return head[:-1] + b',"messages":[' + b",".join(elements) + b'],"stream":' + ser(stream) + b"}"

    def user(self, text):
        return [ser({"role": "user", "content": [{"type": "text", "text": text}]})]

    def result(self, call, text):
        block = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}]}
        return [ser({"role": "user", "content": [block]})]

    def blocks(self, text, call):
        use = [{"type": "tool_use", "id": call, "name": "shell", "input": {"command": f"run {call}"}}] if call else []
        return [{"type": "text", "text": text}] + use

    def said(self, text, call):
        return [ser({"role": "assistant", "content": self.blocks(text, call)})]

    def whole(self, text, call, used):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": self.model, "content": self.blocks(text, call),
                "stop_reason": "tool_use" if call else "end_turn", "usage": {"input_tokens": used, "output_tokens": 20}}

    def events(self, text, call, used):
        start = {**self.whole("", None, used), "content": [], "stop_reason": None}
        yield data({"type": "message_start", "message": start}, "message_start")
        for index, block in enumerate(self.blocks(text, call)):
            empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
            yield data({"type": "content_block_start", "index": index, "content_block": empty}, "content_block_start")
            if block["type"] == "text":
                pieces = [{"type": "text_delta", "text": text[at:at + 160]} for at in range(0, len(text), 160)]
            else:
                pieces = [{"type": "input_json_delta", "partial_json": ser(block["input"]).decode()}]
            for piece in pieces:
                yield data({"type": "content_block_delta", "index": index, "delta": piece}, "content_block_delta")
            yield data({"type": "content_block_stop", "index": index}, "content_block_stop")
        reason = "tool_use" if call else "end_turn"
        yield data({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}}, "message_delta")
        yield data({"type": "message_stop"}, "message_stop")

    def error(self, message, code):
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}

    def parts(self, message):
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        calls = [block["id"] for block in blocks if block.get("type") == "tool_use"]
        return message["role"], calls, [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]


class Chat:
    name, path, end = "chat", "/v1/chat/completions", b"data: [DONE]"
    model, list_key = "gpt-4o", "messages"
    credential = staticmethod(lambda key: {"authorization": f"Bearer {key}"})

    def body(self, system, elements, stream, model=None):
        function = {"name": "shell", "description": "Runs it.", "parameters": {"type": "object"}}
        head = ser({"model": model or self.model, "tools": [{"type": "function", "function": function}]})
        elements = [ser({"role": "system", "content": system}), *elements]
        return head[:-1] + b',"messages":[' + b",".join(elements) + b'],"stream":' + ser(stream) + b"}"

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
        def chunk(delta, **more):
            choice = {"index": 0, "delta": delta, "finish_reason": None, **more}
            return data({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": self.model, "choices": [choice]})
        yield chunk({"role": "assistant", "content": ""})
        for at in range(0, len(text), 160):
            yield chunk({"content": text[at:at + 160]})
        for called in self.message(text, call).get("tool_calls", []):
            yield chunk({"tool_calls": [{"index": 0, **called}]})
        yield chunk({}, finish_reason="tool_calls" if call else "stop")
        usage = {"prompt_tokens": used, "completion_tokens": 20, "total_tokens": used + 20}
        yield data({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def error(self, message, code):
        return {"error": {"message": message, "type": "invalid_request_error", "param": "messages", "code": code}}

    def parts(self, message):
        results = [message["tool_call_id"]] if message["role"] == "tool" else []
        return message["role"], [call["id"] for call in message.get("tool_calls") or []], results


class Responses:
    name, path, end = "responses", "/v1/responses", b"event: response.completed"
    model, list_key = "gpt-5.1", "input"
    credential = staticmethod(lambda key: {"authorization": f"Bearer {key}"})

    def body(self, system, elements, stream, model=None):
        tools = [{"type": "function", "name": "shell", "description": "Runs it.", "parameters": {"type": "object"}, "strict": False}]
        head = ser({"model": model or self.model, "instructions": system, "tools": tools, "store": False})
        return head[:-1] + b',"input":[' + b",".join(elements) + b'],"stream":' + ser(stream) + b"}"

    def user(self, text):
        return [ser({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})]

    def result(self, call, text):
        return [ser({"type": "function_call_output", "call_id": call, "output": text})]

    def items(self, text, call):
        part = {"type": "output_text", "text": text, "annotations": []}
        items = [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}]
        if call:
            items.append({"type": "function_call", "id": f"fc_{call}", "call_id": call, "name": "shell",
                          "arguments": json.dumps({"command": f"run {call}"}), "status": "completed"})
        return items

    def said(self, text, call):
        return [ser(item) for item in self.items(text, call)]

    def whole(self, text, call, used):
        usage = {"input_tokens": used, "output_tokens": 20, "total_tokens": used + 20}
        return {"id": "resp_1", "object": "response", "status": "completed", "model": self.model, "output": self.items(text, call),
                "usage": usage, "error": None}

    def events(self, text, call, used):
        whole = self.whole(text, call, used)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield data({"type": "response.created", "response": begun}, "response.created")
        for index, item in enumerate(whole["output"]):
            empty = {**item, "status": "in_progress", **({"content": []} if "content" in item else {"arguments": ""})}
            added = {"type": "response.output_item.added", "output_index": index, "item": empty}
            yield data(added, "response.output_item.added")
            for at in range(0, len(text) if "content" in item else 0, 160):
                delta = {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": index, "content_index": 0,
                         "delta": text[at:at + 160]}
                yield data(delta, "response.output_text.delta")
            done = {"type": "response.output_item.done", "output_index": index, "item": item}
            yield data(done, "response.output_item.done")
        yield data({"type": "response.completed", "response": whole}, "response.completed")

    def error(self, message, code):
        return Chat.error(self, message, code)

    def parts(self, item):
        kind = item.get("type", "message")
        calls = [item["call_id"]] if kind == "function_call" else []
        results = [item["call_id"]] if kind == "function_call_output" else []
        return {"function_call": "assistant", "function_call_output": "tool"}.get(kind) or item["role"], calls, results


ALL = [Messages(), Chat(), Responses()]


def of(path):
    return next((dialect for dialect in ALL if path.split("?")[0].endswith(dialect.path)), None)


def refused(dialect, body):
    """Why a provider would refuse this request; None: it would not."""
    try:
        request = json.loads(body)
        messages = [dialect.parts(message) for message in request[dialect.list_key]]
    except (ValueError, KeyError, TypeError) as error:
        return f"unreadable: {error!r}"
    open_calls, before, first = set(), None, None
    for role, calls, results in messages:
        if role in ("system", "developer"):
            continue
        first = first or role
        for call in results:
            if call not in open_calls:
                return f"a result of {call}, which nobody called"
            open_calls.discard(call)
        if not results and not calls and open_calls and role != "assistant":
            return f"no result of {sorted(open_calls)}"
        if dialect.name == "anthropic" and role == before:
            return f"two messages of {role} in a row"
        open_calls.update(calls)
        before = role
    if first != "user":
        return f"begins with {first}"
    return f"no result of {sorted(open_calls)}" if open_calls else None


def answered(dialect, stream, answer):
    """Whether a client has the whole answer, with its last event."""
    if answer.status != 200 or not answer.whole:
        return False
    if stream:
        return dialect.end in answer.body[-4096:] or (dialect.name == "responses" and dialect.end in answer.body)
    try:
        return isinstance(json.loads(answer.body), dict)
    except (ValueError, RecursionError):
        return False

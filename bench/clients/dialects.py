"""The three dialects as a strict provider knows them: what a request says, what is wrong with it, and how an answer is written.

A request is read into turns, so that every check is written once. A turn has a role (system, user, assistant, tool), texts,
ids of calls, and results of calls as (id, text).
"""
import hashlib, hmac, json, re, time

KEY = b"bench-clients"
CALLS = {"function_call", "custom_tool_call"}
OUTPUTS = {"function_call_output", "custom_tool_call_output"}


class Turn:
    def __init__(self, role):
        self.role, self.texts, self.calls, self.results = role, [], [], []


def dialect_of(path):
    path = path.split("?")[0].rstrip("/")
    endings = {"/messages": "messages", "/chat/completions": "chat", "/responses": "responses"}
    return next((dialect for ending, dialect in endings.items() if path.endswith(ending)), None)


def texts_of(content):
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [b if isinstance(b, str) else b["text"] for b in blocks if isinstance(b, str) or isinstance(b.get("text"), str)]


def sequence(body):
    found = body.get("messages") if "messages" in body else body.get("input")
    return [{"role": "user", "content": found}] if isinstance(found, str) else found or []


def turns_of(dialect, body, known=None):
    """`known`: items that the provider has stored, for references to them."""
    turns = []
    for message in sequence(body):
        if message.get("type") == "item_reference":
            message = (known or {}).get(message.get("id"), {"role": "assistant"})
        kind = message.get("type")
        role = {"developer": "system", "function": "tool"}.get(message.get("role"), message.get("role"))
        if kind in CALLS:
            role = "assistant"
        elif kind in OUTPUTS:
            role = "tool"
        turn = Turn(role or "assistant")
        if kind in CALLS:
            turn.calls.append(message.get("call_id"))
        elif kind in OUTPUTS:
            turn.results.append((message.get("call_id"), "\n".join(texts_of(message.get("output")))))
        elif role == "tool":
            turn.results.append((message.get("tool_call_id"), "\n".join(texts_of(message.get("content")))))
        else:
            turn.texts = texts_of(message.get("content"))
            turn.calls = [call["id"] for call in message.get("tool_calls") or []]
        for block in message.get("content") if isinstance(message.get("content"), list) and dialect == "messages" else []:
            if block.get("type") == "tool_use":
                turn.calls.append(block["id"])
            elif block.get("type") == "tool_result":
                turn.results.append((block["tool_use_id"], "\n".join(texts_of(block.get("content")))))
        turns.append(turn)
    return turns


def system_of(dialect, body):
    """The system prompt: outside of the messages, or the instructions that lead them."""
    texts = texts_of(body.get("system") or body.get("instructions"))
    for turn in turns_of(dialect, body):
        if turn.role != "system":
            break
        texts += turn.texts
    return texts


def newest_of(turns):
    """Everything that came after the assistant last said something."""
    last = max((at for at, turn in enumerate(turns) if turn.role == "assistant" and (turn.texts or turn.calls)), default=-1)
    return turns[last + 1:]


def tools_of(body):
    """name → schema"""
    tools = [tool.get("function") or tool for tool in body.get("tools") or []]
    return {tool["name"]: tool.get("input_schema") or tool.get("parameters") or {} for tool in tools if "name" in tool}


def sign(text):
    return hmac.new(KEY, text.encode("utf8", "surrogatepass"), hashlib.sha256).hexdigest() * 4


def characters(value):
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(key) + characters(item) for key, item in value.items())
    return sum(map(characters, value)) if isinstance(value, list) else 4


def tokens(body):
    return sum(characters(body.get(key)) for key in ("tools", "system", "instructions", "messages", "input")) // 4


# ---- what is wrong with a request

def errors_of(dialect, body, headers, window=0, known=None):
    """Each as text without positions, so that a client's own fault can be told from the gateway's."""
    found = {"messages": messages_errors, "chat": chat_errors, "responses": responses_errors}[dialect](body, headers, known or {})
    if window and tokens(body) > window:
        found.append(f"prompt is too long: {tokens(body)} tokens > {window} maximum")
    return found


def common_errors(turns):
    found = []
    said = [turn for turn in turns if turn.role != "system"]
    if not said:
        return ["no messages"]
    if said[0].role != "user":
        found.append("the first message must be of the user")
    results = [name for turn in turns for name, _ in turn.results]
    found += [f"more than one result for {name}" for name in set(results) if results.count(name) > 1]
    calls = [name for turn in turns for name in turn.calls]
    found += [f"call {name} stands twice" for name in set(calls) if calls.count(name) > 1]
    return found


def messages_errors(body, headers, known):
    version = headers.get("anthropic-version", "")
    found = [] if version else ["anthropic-version: header is required"]
    found += [f"{key}: Field required" for key in ("max_tokens", "model") if key not in body]
    turns = turns_of("messages", body)
    found += common_errors(turns)
    markers = json.dumps([body.get(key) for key in ("tools", "system", "messages")]).count('"cache_control": {')
    if markers + ("cache_control" in body) > 4:
        found.append("A maximum of 4 blocks with cache_control may be provided")
    waiting, before = [], None
    for message, turn in zip(body.get("messages") or [], turns):
        if turn.role == "system":
            if not headers.get("anthropic-beta") and version < "2026-10-21":
                found.append("Unexpected role system")
            continue
        if turn.role not in ("user", "assistant"):
            found.append(f"unknown role {turn.role}")
        if turn.role == before:
            found.append(f"multiple {turn.role} messages in a row")
        before = turn.role
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        kinds = [block.get("type") for block in blocks]
        if not blocks or any(kind == "text" and not block["text"].strip() for kind, block in zip(kinds, blocks)):
            found.append("text content blocks must be non-empty")
        results = [name for name, _ in turn.results]
        if turn.role == "user" or waiting:
            found += [f"tool_use {name} without tool_result immediately after" for name in waiting if name not in results]
            found += [f"unexpected tool_result {name}" for name in results if name not in waiting]
        if "tool_result" in kinds[len(results):]:
            found.append("tool_result blocks must come first")
        waiting = turn.calls
        for block in blocks:
            if block.get("type") == "thinking" and block.get("signature") != sign(block["thinking"]):
                found.append("Invalid signature in thinking block")
    if waiting:
        found.append(f"tool_use {waiting} without tool_result immediately after")
    if (body.get("thinking") or {}).get("type") == "enabled" and turns and turns[-1].results:
        last = [message for message in body["messages"] if message["role"] == "assistant"][-1:]
        if last and isinstance(last[0]["content"], list) and "thinking" not in str(last[0]["content"][0].get("type")):
            found.append("Expected thinking at the start of the turn in progress")
    return found


def chat_errors(body, headers, known):
    turns = turns_of("chat", body)
    found = common_errors(turns) + ([] if "model" in body else ["model is required"])
    waiting, before = [], None
    for message, turn in zip(body.get("messages") or [], turns):
        if turn.role == "tool":
            name = turn.results[0][0]
            if name in waiting:
                waiting.remove(name)
            else:
                found.append(f"tool message without its call {name}")
            before = "tool"
            continue
        found += [f"call {name} without a tool message behind it" for name in waiting]
        waiting = list(turn.calls)
        if turn.role == "assistant":
            if before == "assistant":
                found.append("multiple assistant messages in a row")
            if not turn.calls and not "".join(turn.texts).strip():
                found.append("an assistant message without content and calls")
        elif turn.role not in ("user", "system"):
            found.append(f"unknown role {turn.role}")
        elif not turn.texts or not all(text.strip() for text in turn.texts):
            found.append("empty content")
        if turn.role != "system":
            before = turn.role
    return found + [f"call {name} without a tool message behind it" for name in waiting]


def responses_errors(body, headers, known):
    if body.get("previous_response_id"):
        return []
    found = [] if "model" in body else ["model is required"]
    open_calls, done, reasoning, items = set(), set(), set(), sequence(body)
    for at, item in enumerate(items):
        if item.get("type") == "item_reference":
            if item.get("id") not in known:
                found.append(f"Item {item.get('id')} not found")
                continue
            item = known[item["id"]]
        kind = item.get("type") or "message"
        if kind == "reasoning":
            reasoning.add(item.get("id"))
            if item.get("encrypted_content") and item["encrypted_content"] != sign("reasoning"):
                found.append("The encrypted content of a reasoning item could not be verified")
            follower = items[at + 1] if at + 1 < len(items) else {}
            follower = known.get(follower.get("id"), follower) if follower.get("type") == "item_reference" else follower
            if follower.get("type") not in CALLS | {"reasoning"} and follower.get("role") != "assistant":
                found.append(f"reasoning item {item.get('id')} was provided without its required following item")
        elif kind in CALLS:
            needs = known.get(item.get("id"), {}).get("needs")
            if needs and needs not in reasoning:
                found.append(f"{item['id']} was provided without its required reasoning item {needs}")
            if item.get("call_id") in open_calls | done:
                found.append(f"call {item.get('call_id')} stands twice")
            open_calls.add(item.get("call_id"))
        elif kind in OUTPUTS:
            name = item.get("call_id")
            if name in done:
                found.append(f"more than one output for {name}")
            elif name not in open_calls:
                found.append(f"No tool call found for function call output with call_id {name}")
            open_calls.discard(name), done.add(name)
        elif kind == "message" and not "".join(texts_of(item.get("content"))).strip():
            found.append("empty content")
    if not items:
        found.append("no input")
    return found + [f"No tool output found for function call {name}" for name in open_calls]


# ---- answers: a text, and calls as (id, name, arguments)

def answer(dialect, body, number, text, calls, known):
    """The answer as an object, and the same as events (name, data)."""
    used, gave = tokens(body), characters([text, [list(call) for call in calls]]) // 4 + 8
    return {"messages": messages_answer, "chat": chat_answer, "responses": responses_answer}[dialect](body, number, text, calls, used, gave, known)


def messages_answer(body, number, text, calls, used, gave, known):
    blocks = []
    if (body.get("thinking") or {}).get("type") in ("enabled", "adaptive"):
        thought = f"Step {number}: naïve “quotes”, \u2028 and 🦀 must survive byte for byte: ﬁ e\u0301."
        blocks.append({"type": "thinking", "thinking": thought, "signature": sign(thought)})
    blocks.append({"type": "text", "text": text})
    blocks += [{"type": "tool_use", "id": name, "name": tool, "input": given} for name, tool, given in calls]
    stop = "tool_use" if calls else "end_turn"
    usage = {"input_tokens": used, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": gave}
    whole = {"id": f"msg_{number:06}", "type": "message", "role": "assistant", "model": body["model"], "content": blocks,
             "stop_reason": stop, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for at, block in enumerate(blocks):
        empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}, "tool_use": {"input": {}}}[block["type"]]
        events.append({"type": "content_block_start", "index": at, "content_block": {**block, **empty}})
        deltas = {"text": lambda: [{"type": "text_delta", "text": part} for part in cut(block["text"])],
                  "thinking": lambda: [{"type": "thinking_delta", "thinking": block["thinking"]}, {"type": "signature_delta", "signature": block["signature"]}],
                  "tool_use": lambda: [{"type": "input_json_delta", "partial_json": part} for part in cut(json.dumps(block["input"]))]}
        events += [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas[block["type"]]()]
        events.append({"type": "content_block_stop", "index": at})
    events.append({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage})
    events.append({"type": "message_stop"})
    return whole, [(event["type"], event) for event in events]


def chat_answer(body, number, text, calls, used, gave, known):
    usage = {"prompt_tokens": used, "completion_tokens": gave, "total_tokens": used + gave, "prompt_tokens_details": {"cached_tokens": 0}}
    asked = [{"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}} for name, tool, given in calls]
    message = {"role": "assistant", "content": text, "refusal": None, **({"tool_calls": asked} if asked else {})}
    stop = "tool_calls" if asked else "stop"
    base = {"id": f"chatcmpl-{number:06}", "created": int(time.time()), "model": body["model"]}
    whole = {**base, "object": "chat.completion", "usage": usage, "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": stop}]}

    def chunk(delta, stop=None):
        return (None, {**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}]})
    events = [chunk({"role": "assistant", "content": ""})] + [chunk({"content": part}) for part in cut(text)]
    for at, call in enumerate(asked):
        function = call["function"]
        events.append(chunk({"tool_calls": [{**call, "index": at, "function": {"name": function["name"], "arguments": ""}}]}))
        events += [chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]}) for part in cut(function["arguments"])]
    events.append(chunk({}, stop))
    if (body.get("stream_options") or {}).get("include_usage"):
        events.append((None, {**base, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
    return whole, events + [(None, "[DONE]")]


def responses_answer(body, number, text, calls, used, gave, known):
    items, needs = [], None
    if body.get("reasoning"):
        needs = f"rs_{number:06}"
        sealed = {"encrypted_content": sign("reasoning")} if "reasoning.encrypted_content" in (body.get("include") or []) else {}
        items.append({"type": "reasoning", "id": needs, "summary": [], **sealed})
    if not calls:
        items.append({"type": "message", "id": f"msg_{number:06}", "status": "completed", "role": "assistant",
                      "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]})
    items += [{"type": "function_call", "id": f"fc_{number:06}_{at}", "status": "completed", "call_id": name, "name": tool,
               "arguments": json.dumps(given)} for at, (name, tool, given) in enumerate(calls)]
    for item in items:
        known[item["id"]] = {**item, "needs": needs} if item["type"] == "function_call" else item
    usage = {"input_tokens": used, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": gave,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": used + gave}
    begun = {"id": f"resp_{number:06}", "object": "response", "created_at": int(time.time()), "status": "in_progress", "model": body["model"],
             "output": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "parallel_tool_calls": True,
             "temperature": 1.0, "top_p": 1.0, "tool_choice": "auto", "tools": [], "usage": None}
    whole = {**begun, "status": "completed", "output": items, "usage": usage}
    events = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(items):
        place = {"item_id": item["id"], "output_index": at}
        events.append({"type": "response.output_item.added", "output_index": at,
                       "item": {**item, **{"message": {"content": []}, "function_call": {"arguments": ""}}.get(item["type"], {})}})
        if item["type"] == "message":
            part = item["content"][0]
            events.append({"type": "response.content_part.added", **place, "content_index": 0, "part": {**part, "text": ""}})
            events += [{"type": "response.output_text.delta", **place, "content_index": 0, "delta": piece, "logprobs": []} for piece in cut(text)]
            events.append({"type": "response.output_text.done", **place, "content_index": 0, "text": text, "logprobs": []})
            events.append({"type": "response.content_part.done", **place, "content_index": 0, "part": part})
        elif item["type"] == "function_call":
            events += [{"type": "response.function_call_arguments.delta", **place, "delta": piece} for piece in cut(item["arguments"])]
            events.append({"type": "response.function_call_arguments.done", **place, "name": item["name"], "arguments": item["arguments"]})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return whole, [(event["type"], {**event, "sequence_number": at}) for at, event in enumerate(events)]


def cut(text):
    return re.findall(r"(?s).{1,40}", text) or [""]

#!/usr/bin/env python3
"""Writes fastapi-session.json: a made-up agent session of 45 messages and about 95,000 tokens (Chat format).

The shape is that of the Before/After example of the guide that Epitome implements: a FastAPI project is set up, edited,
tested and debugged. Deterministic; standard library only.  Run: python3 examples/make_sample.py
"""
import json
import pathlib
import random

R = random.Random(45)
ENTITIES = ["user", "order", "invoice", "product", "session", "payment", "shipment", "review", "coupon", "address"]
VERBS = ["create", "read", "update", "delete", "list", "archive", "restore"]


def source(entity, size):
    """A router module of about `size` lines."""
    lines = [
        f'"""Routes for {entity}s."""', "", "from datetime import datetime", "from typing import Annotated", "",
        "from fastapi import APIRouter, Depends, HTTPException, Query", "from pydantic import BaseModel, Field", "",
        f"from app.db import Session, get_session", f"from app.models import {entity.title()}", "",
        f'router = APIRouter(prefix="/{entity}s", tags=["{entity}s"])', "",
    ]
    n = 0
    while len(lines) < size:
        verb = VERBS[n % len(VERBS)]
        field, limit = R.choice(["name", "email", "total", "status", "sku"]), R.randint(5, 500)
        suffix = "" if n < len(VERBS) else f"_v{n // len(VERBS) + 1}"
        lines += [
            f"class {verb.title()}{entity.title()}{suffix.title().replace('_', '')}(BaseModel):",
            f"    {field}: str = Field(min_length=1, max_length={limit})",
            f"    created_at: datetime | None = None", f"    limit: int = Field(default={limit}, ge=1, le={limit * 4})", "", "",
            f'@router.{R.choice(["get", "post", "put", "delete"])}("/{verb}{suffix}/{{{entity}_id}}")',
            f"async def {verb}_{entity}{suffix}(",
            f"    {entity}_id: int,",
            f"    page: Annotated[int, Query(ge=1)] = {R.randint(1, 9)},",
            f"    session: Session = Depends(get_session),",
            f") -> dict[str, object]:",
            f'    """{verb.title()} one {entity}, or answer 404."""',
            f"    found = await session.get({entity.title()}, {entity}_id)",
            f"    if found is None:",
            f'        raise HTTPException(status_code=404, detail="{entity} {{}} not found".format({entity}_id))',
            f"    rows = await session.scalars(found.related(offset=page * {limit}, limit={limit}))",
            f'    return {{"{entity}": found.as_dict(), "{field}": [row.{field} for row in rows], "page": page}}', "", "",
        ]
        n += 1
    return "\n".join(lines[:size])


def log(size):
    lines = []
    for n in range(size):
        level = "INFO" if R.random() < 0.97 else "WARNING"
        entity = R.choice(ENTITIES)
        lines.append(
            f"2026-03-{1 + n // 900:02d}T10:{n // 60 % 60:02d}:{n % 60:02d}.{R.randint(0, 999):03d}Z {level:<7} uvicorn.access "
            f"{R.randint(10, 99)}.0.0.{R.randint(1, 254)}:{R.randint(1024, 65535)} \"GET /{entity}s/{R.randint(1, 9999)} HTTP/1.1\" "
            f"{R.choice([200, 200, 200, 201, 404])} {R.randint(1, 400)}ms request_id={R.getrandbits(48):012x}"
        )
    at = R.randint(size // 3, size // 2)
    lines[at] = "2026-03-01T10:12:13.007Z ERROR   app.db connection pool exhausted: size=5 overflow=10 timeout=30.0 (pool_id=7f3a)"
    return "\n".join(lines)


def pytest(failures, size):
    lines = ["============================= test session starts ==============================",
             "platform linux -- Python 3.12.3, pytest-8.3.2, pluggy-1.5.0", "rootdir: /srv/project", f"collected {size} items", ""]
    for n in range(size):
        entity, verb = ENTITIES[n % 10], VERBS[n % 7]
        name = f"tests/test_{entity}s.py::test_{verb}_{entity}_{n}"
        lines.append(f"{name:<86} PASSED [{100 * (n + 1) // size:3d}%]")
    for name, message in failures:
        lines += ["", f"________________________________ {name} ________________________________",
                  f"tests/test_api.py:{R.randint(20, 180)}: in {name}", f"E       {message}"]
    lines += ["", "=========================== short test summary info ============================"]
    lines += [f"FAILED tests/test_api.py::{name} - {message}" for name, message in failures]
    lines.append(f"=================== {len(failures)} failed, {size - len(failures)} passed in {R.randint(2, 30)}.{R.randint(10, 99)}s ===================")
    return "\n".join(lines)


def openapi(size):
    paths = {}
    for n in range(size):
        entity, verb = ENTITIES[n % 10], VERBS[n % 7]
        paths[f"/{entity}s/{verb}/{n}"] = {
            "get": {"operationId": f"{verb}_{entity}_{n}", "summary": f"{verb.title()} one {entity}",
                    "parameters": [{"name": f"{entity}_id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                    "responses": {"200": {"description": "OK"}, "404": {"description": f"{entity} not found"}}}}
    return json.dumps({"openapi": "3.1.0", "info": {"title": "shop", "version": "0.4.2"}, "paths": paths}, indent=1)


messages = [
    {"role": "system", "content": "You are a helpful assistant. You work on a project in /srv/project with the tools you are given."},
    {"role": "user", "content": "Help me set up a FastAPI project. Use SQLAlchemy 2 with async sessions. Never commit to main, and keep "
                                "every handler under 40 lines."},
]


def step(tool, arguments, output, text=None):
    call = f"call_{len(messages):03d}"
    messages.append({"role": "assistant", "content": text, "tool_calls": [
        {"id": call, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}]})
    messages.append({"role": "tool", "tool_call_id": call, "content": output})


step("terminal", {"command": "mkdir project"}, "directory created")
step("write_file", {"path": "main.py", "content": source("user", 60)}, "file written (2.3KB)")
step("write_file", {"path": "requirements.txt", "content": "fastapi==0.115.0\nsqlalchemy[asyncio]==2.0.35\npytest==8.3.2\nhttpx==0.27.2\n"},
     "file written (0.1KB)")
for entity, size in [("order", 880), ("invoice", 760), ("product", 1020)]:
    step("read_file", {"path": f"app/routers/{entity}s.py"}, source(entity, size), f"Let me look at the {entity} routes before I change them.")
step("terminal", {"command": "curl -s localhost:8000/openapi.json"}, openapi(72))
step("terminal", {"command": "pytest -q tests"}, pytest([("test_create_user", "assert 422 == 201"), ("test_list_orders", "KeyError: 'page'")], 240),
     "I decided to use an async session fixture instead of a global engine, because the tests run in parallel.")
step("read_file", {"path": "logs/server.log"}, log(170), "The pool is exhausted under load. Let me find out since when.")
step("write_file", {"path": "app/db.py", "content": source("session", 70)}, "file written (3.1KB)")
step("read_file", {"path": "app/routers/payments.py"}, source("payment", 820))
step("terminal", {"command": "git diff HEAD~1 --stat && git status"}, "\n".join(
    f" app/routers/{entity}s.py | {R.randint(4, 90)} +++++-----" for entity in ENTITIES) + "\n 10 files changed\nOn branch setup\nnothing to commit")
for entity, size in [("shipment", 720), ("review", 800), ("coupon", 680)]:
    step("read_file", {"path": f"app/routers/{entity}s.py"}, source(entity, size))
step("write_file", {"path": "tests/test_api.py", "content": source("review", 90)}, "file written (4.0KB)")
step("read_file", {"path": "logs/server.log"}, log(140))
step("terminal", {"command": "ruff check app"}, "app/routers/coupons.py:88:5: F841 local variable `rows` is assigned to but never used\nFound 1 error.")
step("terminal", {"command": "pytest"}, pytest([("test_create_user", "assert 500 == 201"), ("test_delete_user", "fixture 'session' not found")], 40))
messages.append({"role": "user", "content": "Fix the failing tests"})
step("read_file", {"path": "tests/test_api.py"}, "import pytest\n" + source("address", 70))
messages.append({"role": "assistant", "content": "I see the issue with the test fixtures: `session` is defined in tests/conftest.py with the wrong scope."})
messages.append({"role": "user", "content": "Great, also add error handling"})

assert len(messages) == 45, len(messages)
out = pathlib.Path(__file__).with_name("fastapi-session.json")
out.write_text(json.dumps({"model": "gpt-4o", "messages": messages}, indent=1) + "\n")
print(out.name, out.stat().st_size, "bytes,", len(messages), "messages")

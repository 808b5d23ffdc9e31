"""Claude Agent SDK: one session of several requests, by its client. The model is one that Claude Code sends reminders to."""
import asyncio, sys

import claude_agent_sdk as sdk
from tools import MODEL, PROMPTS, URL


async def main():
    environment = {"ANTHROPIC_BASE_URL": URL, "ANTHROPIC_API_KEY": "dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                   "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1"}
    options = sdk.ClaudeAgentOptions(model=MODEL, allowed_tools=["Bash", "Read", "Write"], env=environment, stderr=lambda line: print(line, file=sys.stderr),
                                     system_prompt={"type": "preset", "preset": "claude_code"})
    async with sdk.ClaudeSDKClient(options) as client:
        for prompt in PROMPTS:
            await client.query(prompt)
            async for message in client.receive_response():
                if isinstance(message, sdk.ResultMessage):
                    print(message.result)

asyncio.run(main())

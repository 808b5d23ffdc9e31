#!/usr/bin/env python3
"""Draws the README's picture: the tokens of each request of one session, with and without epitome.

usage: epitome sessions show SESSION --json | draw.py WINDOW > docs/picture.svg
"""
import json, sys

WIDTH, HEIGHT = 800, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 44, 40
STYLE = """text { font: 13px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; fill: #1f2328 } .grid { stroke: #d0d7de; stroke-width: 1 }
.window { stroke: #cf222e; stroke-dasharray: 6 4; fill: none } .red { fill: #cf222e }
.client { stroke: #8c959f; stroke-width: 2; fill: none } .sent { stroke: #0969da; stroke-width: 2.5; fill: none } .blue { fill: #0969da }
@media (prefers-color-scheme: dark) {
text { fill: #8b949e } .title { fill: #e6edf3 } .grid { stroke: #30363d } .window { stroke: #f85149 } .red { fill: #f85149 }
.client { stroke: #6e7681 } .sent { stroke: #58a6ff } .blue { fill: #58a6ff } }"""


def main():
    window = int(sys.argv[1])
    session = json.load(sys.stdin)
    turns = session["turns"]
    client, sent = ([turn[key] for turn in turns] for key in ("client_tokens", "sent_tokens"))
    most = max(window, *client, *sent)
    step = next(step for step in (10_000, 25_000, 50_000, 100_000, 250_000) if most / step <= 8)

    def x(number):
        return LEFT + (WIDTH - LEFT - RIGHT) * number / max(1, len(turns) - 1)

    def y(tokens):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * tokens / most

    def line(values, name):
        points = " ".join(f"{x(number):.1f},{y(tokens):.1f}" for number, tokens in enumerate(values))
        return f'<polyline class="{name}" points="{points}"/>'

    def text(left, top, words, name="", anchor="start"):
        return f'<text x="{left:.1f}" y="{top:.1f}" class="{name}" text-anchor="{anchor}">{words}</text>'

    paid, without = session["spending"]["paid"] + session["spending"]["summaries"], session["spending"]["without_us"]
    end = WIDTH - RIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">', f"<style>{STYLE}</style>"]
    title = "Tokens of each request of one recorded session, with and without Epitome"
    parts += [f"<title>{title}</title>", text(LEFT, 22, title, "title")]
    for tokens in range(0, most + 1, step):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{end}" y1="{y(tokens):.1f}" y2="{y(tokens):.1f}"/>')
        parts.append(text(LEFT - 8, y(tokens) + 4, f"{tokens // 1000}K" if tokens else "0", anchor="end"))
    parts.append(f'<line class="window" x1="{LEFT}" x2="{end}" y1="{y(window):.1f}" y2="{y(window):.1f}"/>')
    parts += [line(client, "client"), line(sent, "sent")]
    parts.append(text(end + 8, y(window) + 4, "the model’s window", "red"))
    parts += [text(end + 8, y(client[-1]) + 4, f"without: ${without:.2f}"), text(end + 8, y(sent[-1]) + 4, f"with: ${paid:.2f}", "blue")]
    parts += [text(LEFT, HEIGHT - 12, "request 1"), text(end, HEIGHT - 12, str(len(turns)), anchor="end"), "</svg>"]
    print("\n".join(parts))


main()

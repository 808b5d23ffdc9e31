"""Pages, minutes, tickets, chats, specifications and other prose, in several languages."""

import json

from ..case import case
from .stock import DEEDS, PEOPLE, THINGS, camel, distinct, hexes, ident, idents, people, plant, prose, spots, times, uuid


@case(
    tool="Read",
    file_path="/w/node_modules/shop-sdk/CHANGELOG.md",
    ask="We go from 3.x to the newest version of the SDK. What breaks?",
)
def changelog_markdown(r):
    out, needles, minor = ["# Changelog", "", "All notable changes to this project are documented here.", ""], [], 30
    breaks = r.sample(range(5, 24), 3)
    for k in range(30):
        v = f"{5 if k < 12 else 4}.{minor - k}.{r.randint(0, 9)}"
        out += [f"## [{v}](https://github.com/shop/sdk/compare/v{v}) (2025-{12 - k // 3:02}-{r.randint(10, 28)})", ""]
        if k in breaks:
            a, b = camel(ident(r)), camel(ident(r))
            said = r.choice(
                [
                    f"`{a}()` now returns a promise",
                    f"the option `{a}` is renamed to `{b}`",
                    f"`{a}` throws instead of returning null",
                    f"drop support for Node.js {r.randint(12, 18)} in `{a}`",
                ]
            )
            out += ["### ⚠ BREAKING CHANGES", "", f"* {said}", ""]
            needles.append([v, said])
        out += ["### Features", ""] + [
            f"* **{r.choice(THINGS)}:** {n} ([#{r.randint(100, 9999)}](https://github.com/shop/sdk/issues/{r.randint(100, 9999)})) ([{hexes(r, 7)}](https://github.com/shop/sdk/commit/{hexes(r, 7)}))"
            for n in idents(r, r.randint(1, 3), " ")
        ]
        out += ["", "### Bug Fixes", ""] + [
            f"* {n} twice ([{hexes(r, 7)}](https://github.com/shop/sdk/commit/{hexes(r, 7)}))" for n in idents(r, 2, " ")
        ] + [""]
    return out, needles


@case("jira issue view SHOP-8812 --raw", ask="What is the state of this ticket, and what was agreed on?")
def jira_issue(r):
    def comment(who, text):
        return dict(
            id=str(r.randint(10**5, 10**6)),
            author=dict(
                displayName=who, accountId=hexes(r, 24), avatarUrls={"48x48": f"https://avatar.example/{hexes(r, 20)}"}
            ),
            created=f"2026-02-{r.randint(10, 28)}T09:1{r.randint(0, 9)}:44.112+0100",
            body=text,
        )

    a, b, c = people(r, 3)
    build, day, tenant = f"4.{r.randint(10, 40)}.{r.randint(1, 9)}", f"2026-0{r.randint(3, 9)}-1{r.randint(0, 9)}", r.randint(
        1000, 9999
    )
    cause = f"Root cause found: the {r.choice(THINGS)} cache is keyed without the currency since {build}."
    deal = f"Agreed with {b}: hotfix goes out on {day}, only tenant {tenant} gets a credit note."
    comments = plant(
        r, [comment(r.choice([a, b, c]), prose(r, 3)) for _ in range(30)], [comment(a, cause), comment(c, deal)], 8
    )
    issue = dict(
        key="SHOP-8812",
        fields=dict(
            summary=f"Wrong amounts when people {ident(r, ' ')}",
            status=dict(name="Awaiting customer", id="10302"),
            priority=dict(name="Highest"),
            assignee=dict(displayName=a),
            reporter=dict(displayName=b),
            labels=[ident(r, "-"), ident(r, "-")],
            fixVersions=[dict(name=build)],
            description=prose(r, 14),
            comment=dict(comments=comments, total=len(comments)),
            customfield_10021=None,
            customfield_10344=[],
        ),
    )
    return json.dumps(issue, indent=2), ["Awaiting customer", cause, deal]


@case(
    "cat slack-export/incidents/2026-02-27.json",
    ask="Sum up the incident channel: what was broken, what fixed it, who does what next?",
)
def slack_export(r):
    a, b, c = people(r, 3)

    def post(t, who, text, **more):
        return dict(
            type="message",
            user=f"U{hexes(r, 5).upper()}",
            user_profile=dict(real_name=who),
            ts=f"{t.timestamp():.6f}",
            client_msg_id=uuid(r),
            text=text,
            blocks=[dict(type="rich_text", block_id=hexes(r, 3))],
            **more,
        )

    ts = times(r, 70, 60)
    small = [
        "looking",
        "same here",
        "ok",
        "hm, :eyes:",
        "still seeing it",
        "can somebody check the dashboard?",
        "thanks",
        ":+1:",
        "joining the call",
        "back in 5",
    ]
    bulk = [post(t, r.choice([a, b, c, *PEOPLE]), r.choice([r.choice(small), prose(r, 1)])) for t in ts]
    flag, lost, pr = ident(r, "-"), r.randint(100, 990), r.randint(1000, 9999)
    said = [
        f"it is the flag `{flag}`: with it on every checkout takes the slow path",
        f"turned it off at 14:{r.randint(10, 59)}, error rate is back under 0.1 %",
        f"we lost about {lost} orders, list is in the sheet",
        f"<@{c}> will write the post-mortem until Thursday, {b} reverts in #{pr}",
    ]
    at = sorted(spots(r, 70, 4, 10))
    for k, x, who in zip(at, said, [a, a, b, a]):
        bulk[k] = post(ts[k], who, x, reactions=[dict(name="white_check_mark", count=r.randint(2, 9))])
    return json.dumps(bulk, indent=1), [said[0], said[1], f"about {lost} orders", said[3]]


@case(
    tool="WebFetch",
    url="https://de.wiki.example/Gemeinden",
    ask="How many inhabitants has the largest municipality of the table, and which one lost its status?",
)
def html_wiki_table(r):
    names = [camel(n, True) for n in idents(r, 84)]
    big, gone = r.sample(range(15, 70), 2)
    top, year = r.randint(200000, 900000), r.randint(1991, 2019)
    out = [
        "<!DOCTYPE html>",
        "<html class=\"client-nojs vector-feature-language\" lang=\"de\">",
        "<head>",
        "<title>Gemeinden – Wiki</title>",
        *[
            f"<script>(window.RLQ=window.RLQ||[]).push(function(){{mw.loader.impl('{hexes(r, 9)}')}});</script>"
            for _ in range(8)
        ],
        "</head>",
        "<body>",
        "<nav><ul>",
        *[f"<li><a href=\"/{n}\">{n.replace('-', ' ')}</a></li>" for n in idents(r, 20, "-")],
        "</ul></nav>",
        '<table class="wikitable sortable">',
        "<tr><th>Gemeinde</th><th>Fläche (km²)</th><th>Einwohner</th><th>Bemerkung</th></tr>",
    ]
    for k, n in enumerate(names):
        count, note = top if k == big else r.randint(300, 29000), f"seit {year} Ortsteil" if k == gone else ""
        size, shown = f"{r.randint(3, 90)},{r.randint(10, 99)}", f"{count:,}".replace(",", ".")
        right = '<td style="text-align:right">'
        out.append(
            f'<tr><td><a href="/wiki/{n}" title="{n}">{n}</a></td>{right}{size}</td>{right}{shown}</td><td>{note}</td></tr>'
        )
    return out + ["</table>", "<footer>CC BY-SA 4.0</footer>", "</body>", "</html>"], [
        [names[big], f"{top:,}".replace(",", ".")],
        [names[gone], f"seit {year} Ortsteil"],
    ]


@case(tool="mcp__playwright__browser_snapshot", ask="Look at the checkout page. What keeps us from paying?")
def accessibility_tree(r):
    ref = iter(range(2, 9000))
    out = [
        "### Page state",
        "- Page URL: https://shop.example/checkout",
        "- Page Title: Checkout",
        "- Page Snapshot:",
        "```yaml",
        f"- generic [active] [ref=e{next(ref)}]:",
        f"  - banner [ref=e{next(ref)}]:",
    ]
    out += [
        f'    - link "{n}" [ref=e{next(ref)}] [cursor=pointer]:\n      - /url: /{n.replace(" ", "-")}'
        for n in idents(r, 24, " ")
    ]
    out.append(f"  - main [ref=e{next(ref)}]:")
    rows = [
        f'    - listitem [ref=e{next(ref)}]:\n      - text: {n.capitalize()}\n      - spinbutton "Quantity" [ref=e{next(ref)}]: "{r.randint(1, 9)}"\n      - button "Remove" [ref=e{next(ref)}] [cursor=pointer]'
        for n in idents(r, 34, " ")
    ]
    alert = f"Card ending in {r.randint(1000, 9999)} was declined (code {r.randint(10, 99)}). Use another card."
    terms = f"I accept the terms of {ident(r, ' ')}"
    special = [f'    - alert [ref=e{next(ref)}]: "{alert}"', f'    - checkbox "{terms}" [ref=e{next(ref)}]']
    out += plant(r, rows, special, 8)
    pay, cents = next(ref), r.randint(10, 99)
    total = f"{r.randint(100, 900)}.{cents}"
    out += [f'    - button "Pay {total} EUR" [disabled] [ref=e{pay}]', f"  - contentinfo [ref=e{next(ref)}]:"]
    out += [
        f'    - link "{n}" [ref=e{next(ref)}] [cursor=pointer]:\n      - /url: /{n.replace(" ", "-")}'
        for n in idents(r, 22, " ")
    ] + ["```"]
    return out, [alert, ["checkbox", terms], [f"Pay {total} EUR", "[disabled]", f"ref=e{pay}"]]


@case(tool="Read", file_path="/w/docs/postmortems/2026-02-14.md", ask="Read the post-mortem. We take over the follow-ups.")
def postmortem(r):
    a, b, c = people(r, 3)
    names = idents(r, 3, " ")
    mins, orders = r.randint(40, 300), r.randint(1000, 90000)
    heads = ["Summary", "Impact", "Background", "Timeline", "Root cause", "What went well", "What went badly", "Action items"]
    tasks = [
        (f"Alert when {names[0]} takes longer than {r.randint(2, 90)} s", a),
        (f"Remove the manual step from {names[1]}", b),
        (f"Test the restore of {names[2]} each month", c),
    ]
    cause = f"The connection pool was shared with {ident(r, ' ')}, which held {r.randint(10, 90)} of {r.randint(91, 120)} connections for the whole night."
    out = ["# Post-mortem: checkout outage", ""]
    for h in heads:
        out += [f"## {h}", ""]
        if h == "Impact":
            out += [prose(r, 4), "", f"Checkout failed for {mins} minutes, {orders} orders were lost.", "", prose(r, 4), ""]
        elif h == "Timeline":
            out += [f"- 02:{k:02} UTC {prose(r, 1)}" for k in range(3, 55, 2)] + [""]
        elif h == "Root cause":
            out += [prose(r, 6), "", cause, "", prose(r, 6), ""]
        elif h == "Action items":
            out += [
                "| What | Who | Due |",
                "| --- | --- | --- |",
                *[f"| {t} | {w} | 2026-0{r.randint(3, 9)}-15 |" for t, w in tasks],
                "",
            ]
        else:
            out += [prose(r, 7), "", prose(r, 7), ""]
    out += ["## Appendix", "", *[f"{prose(r, 6)}\n" for _ in range(6)]]
    return out, [f"{mins} minutes, {orders} orders were lost", cause, *[list(t) for t in tasks]]


@case(tool="Read", file_path="/w/議事録/2026-02-定例.md", ask="この議事録から決定事項と宿題を教えてください。")
def gijiroku_japanese(r):
    things = ["在庫", "請求書", "返金", "配送", "注文", "会員", "価格", "割引", "決済", "倉庫"]
    names = ["佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺"]

    def talk():
        a, b = r.sample(things, 2)
        return r.choice(
            [
                f"{a}の画面は{b}の画面と同じ並びになっている。",
                f"{a}については先月と変わりがないとの報告があった。",
                f"{b}の件数は{a}の件数より少ないことが多い。",
                f"{a}の説明資料を見ながら{b}の流れを確認した。",
                f"{a}に関する質問はとくになかった。",
            ]
        )

    day, price, server = f"{r.randint(3, 9)}月{r.randint(10, 28)}日", r.randint(300, 990), r.randint(2, 30)
    who = r.sample(names, 3)
    decisions = [f"決定: 新しい料金は月額{price}円とし、{day}から適用する。", f"決定: 旧サーバー{server}台は年度末に停止する。"]
    tasks = [f"宿題: {who[0]}さんが{day}までに{things[3]}業者の見積もりを取る。", f"宿題: {who[1]}さんが障害時の連絡表を直す（担当番号{r.randint(100, 999)}）。"]
    out = ["# 定例会議 議事録", "", f"出席者: {'、'.join(names)}", ""]
    topics = [f"{k}. {a}と{b}" for k, (a, b) in enumerate(zip(r.choices(things, k=16), r.choices(things, k=16)), 1)]
    at = dict(zip(r.sample(range(2, 14), 4), decisions + tasks))
    for k, t in enumerate(topics):
        out += [f"## {t}", "", "".join(talk() for _ in range(8)), ""]
        if k in at:
            out += [at[k], ""]
        out += ["".join(talk() for _ in range(6)), ""]
    return out, decisions + tasks


@case(
    tool="Read",
    file_path="/w/doku/betrieb.txt",
    ask="Was muss ich vor dem Neustart der Anlage beachten? Bitte die Warnungen und Grenzwerte.",
)
def betrieb_deutsch(r):
    words = ["Pumpe", "Leitung", "Steuerung", "Ventil", "Messstelle", "Anzeige", "Filter", "Kessel", "Schalter", "Wartung"]

    def satz():
        a, b = r.sample(words, 2)
        return r.choice(
            [
                f"Die Baugruppe {a} liegt neben der Baugruppe {b}.",
                f"Im Regelfall wird {a} zusammen mit {b} geprüft.",
                f"Näheres zu {a} steht im Abschnitt über {b}.",
                f"Wer {a} kennt, findet sich auch bei {b} zurecht.",
                f"Zu {a} gehört stets ein Typenschild.",
            ]
        )

    bar, grad, zeit = r.randint(3, 14), r.randint(60, 95), r.randint(11, 50)
    warn = [
        f"ACHTUNG: Vor dem Neustart den Druck unter {bar} bar ablassen, sonst kann das Sicherheitsventil bersten.",
        f"Die Vorlauftemperatur darf {grad} °C nicht überschreiten.",
        f"WARNUNG: Nach dem Abschalten {zeit} Minuten warten, ehe die Klappe geöffnet wird.",
        f"Der Entstörschlüssel {hexes(r, 3).upper()} ist nur mit zwei Personen zu verwenden.",
    ]
    out = ["BETRIEBSHANDBUCH", "================", ""]
    at = dict(zip(r.sample(range(3, 20), 4), warn))
    for k in range(24):
        out += [f"{k + 1}. {r.choice(words)} und {r.choice(words)}", "", " ".join(satz() for _ in range(5)), ""]
        if k in at:
            out += [at[k], ""]
        out += [" ".join(satz() for _ in range(4)), ""]
    return out, warn


@case(tool="Read", file_path="/w/informes/auditoria.md", ask="¿Qué incumplimientos encontró la auditoría y qué plazo nos dan?")
def informe_espanol(r):
    cosas = ["el almacén", "la nómina", "el inventario", "la caja", "el registro", "la factura", "el contrato", "la tienda"]

    def frase():
        a, b = r.sample(cosas, 2)
        return r.choice(
            [
                f"Se revisó {a} junto con {b} sin observaciones.",
                f"La documentación de {a} está ordenada igual que la de {b}.",
                f"El equipo explicó cómo {a} se relaciona con {b}.",
                f"No hubo cambios en {a} desde la visita anterior.",
                f"Para {a} se tomó una muestra aleatoria.",
            ]
        )

    dias, copias, monto = r.randint(15, 90), r.randint(2, 9), f"{r.randint(10, 90)}.{r.randint(100, 999)} €"
    hallazgos = [
        f"Incumplimiento grave: las copias de seguridad no se restauran desde hace {copias} meses.",
        f"Incumplimiento leve: faltan comprobantes por un total de {monto}.",
        f"La empresa dispone de {dias} días naturales para presentar un plan de corrección.",
    ]
    out = ["# Informe de auditoría", ""]
    at = dict(zip(r.sample(range(3, 18), 3), hallazgos))
    for k in range(22):
        out += [f"## {k + 1}. Sobre {r.choice(cosas)}", "", " ".join(frase() for _ in range(5)), ""]
        if k in at:
            out += [at[k], ""]
        out += [" ".join(frase() for _ in range(4)), ""]
    return out, hallazgos


@case("pdftotext -layout contract.pdf -", ask="What do we sign here: term, notice period, price increase, penalties?")
def contract_pdf(r):
    months, notice, rise, fine = r.randint(13, 60), r.randint(2, 11), r.randint(3, 14), r.randint(10, 90) * 1000
    clauses = [
        f"This agreement runs for {months} months from the date of signature.",
        f"Notice must be given in writing {notice} months before the end of the term; otherwise the term is doubled.",
        f"The supplier may raise the fees by up to {rise} % each calendar year without the consent of the customer.",
        f"For every breach of confidentiality the customer owes a penalty of EUR {fine:,}.",
    ]
    out, page = [], 1
    at = dict(zip(r.sample(range(4, 30), 4), clauses))
    for k in range(34):
        out += [f"   {k + 1}.   {ident(r, ' ').upper()}", "", f"        {k + 1}.1  {prose(r, 2)}"]
        out += [f"        {k + 1}.2  {at[k]}"] if k in at else []
        out += [f"        {k + 1}.3  {prose(r, 2)}", ""]
        if k % 4 == 3:
            out += [f"Shop Ltd. Master Services Agreement            CONFIDENTIAL                     Page {page} of 9", "\f"]
            page += 1
    return out, clauses


@case("cat standup.vtt", ask="Write down what was decided in this call and what each of them promised.")
def vtt_transcript(r):
    a, b, c = people(r, 3)
    said = [
        (a, f"okay so let's decide we drop the {r.choice(THINGS)} import, version {r.randint(2, 9)} ships without it"),
        (b, f"I'll have the numbers for {ident(r, ' ')} by {r.choice(['Tuesday', 'Friday'])} noon"),
        (c, f"then I promise to call the bank about the {r.randint(10, 90)} open chargebacks"),
    ]
    small = [
        "yeah",
        "mhm, right",
        "can you hear me?",
        "sorry, I was muted",
        "so, um, where were we",
        "good point",
        "let me share my screen",
        "as I said last week",
    ]
    lines = [
        (r.choice([a, b, c]), r.choice([r.choice(small), prose(r, 1).rstrip("."), prose(r, 1).rstrip(".")]).lower())
        for _ in range(110)
    ]
    for k, x in zip(sorted(spots(r, 110, 3, 12)), said):
        lines[k] = x
    out, t = ["WEBVTT", ""], 3
    for k, (who, text) in enumerate(lines, 1):
        d = r.randint(2, 9)
        out += [
            str(k),
            f"00:{t // 60:02}:{t % 60:02}.{r.randint(100, 999)} --> 00:{(t + d) // 60:02}:{(t + d) % 60:02}.{r.randint(100, 999)}",
            f"<v {who}>{text}</v>",
            "",
        ]
        t += d
    return out, [x for _, x in said]


@case(tool="Read", file_path="/w/spec/requirements.adoc", ask="Which requirements are still open or contradict each other?")
def requirements_spec(r):
    out = ["= Requirements of the returns portal", ":toc:", ""]
    ids = [f"REQ-{n}" for n in sorted(distinct(r, 56, 100, 999))]
    a, b, c = r.sample(range(8, 48), 3)
    n = r.randint(3, 9)
    needles = []
    for k, i in enumerate(ids):
        text = f"The portal shall {ident(r, ' ')}s within {r.randint(1, 30)} seconds. {prose(r, 1)}"
        status = "agreed"
        if k == a:
            status, text = "open", f"TBD: who pays the postage of parcels above {r.randint(11, 40)} kg is not decided."
            needles.append([i, text])
        if k == b:
            text = f"Returns shall be refused after {n * 10} days. NOTE: contradicts {ids[c]}, which allows {n * 10 + 20} days."
            needles.append([i, f"contradicts {ids[c]}", f"{n * 10 + 20} days"])
        out += [
            f"[[{i}]]",
            f"=== {i}: {ident(r, ' ').capitalize()}",
            "",
            f"*Status:* {status} +",
            f"*Priority:* {r.choice(['must', 'should'])}",
            "",
            text,
            "",
        ]
    return out, needles


@case(tool="WebFetch", url="https://shop.example/help", ask="Does the help say how long refunds take, and what is excluded?")
def faq_page(r):
    days, fee, thing = r.randint(5, 30), f"{r.randint(2, 9)}.{r.randint(10, 99)} EUR", r.choice(THINGS)
    answers = [
        f"A refund arrives within {days} working days after we have scanned the parcel.",
        f"Personalised goods, hygiene articles and opened {thing}s are excluded from returns.",
        f"For a lost label we charge {fee}.",
    ]
    heads = ["How long does a refund take?", "What cannot be returned?", "I lost my return label"]
    blocks = [f"### How do I {d} a {t}?\n\n{prose(r, 4)}\n" for d, t in zip(r.choices(DEEDS, k=34), r.choices(THINGS, k=34))]
    blocks = plant(r, blocks, [f"### {h}\n\n{prose(r, 2)} {x} {prose(r, 1)}\n" for h, x in zip(heads, answers)], 6)
    return [
        "Help centre",
        "",
        "[Home](/) [Cart](/cart) [Sign in](/login)",
        "",
        *blocks,
        "© Shop Ltd. [Imprint](/imprint) [Privacy](/privacy)",
    ], answers


@case("cat ~/notes/todo.org", ask="Which of my tasks are overdue or blocked? Today is 2 March 2026.")
def org_todo(r):
    def task(state, name, day, extra=""):
        return f"** {state} {name}\n   SCHEDULED: <{day}>\n   :PROPERTIES:\n   :ID:       {uuid(r)}\n   :EFFORT:   {r.randint(1, 9)}:00\n   :END:\n{extra}   {prose(r, 1)}"

    names = [n.capitalize() for n in idents(r, 55, " ")]
    bulk = [task(r.choice(["DONE", "DONE", "TODO"]), n, f"2026-0{r.randint(4, 9)}-{r.randint(10, 28)}") for n in names[3:]]
    late = f"2026-01-{r.randint(10, 28)}"
    wait = f"waiting for the contract of {r.choice(PEOPLE)}, ticket L-{r.randint(100, 999)}"
    special = [
        task("TODO", f"[#A] {names[0]}", late),
        task("WAITING", names[1], f"2026-0{r.randint(4, 9)}-11", f"   - State \"WAITING\" from \"TODO\" \\\\\n     {wait}\n"),
    ]
    return [
        "#+TITLE: Tasks",
        "#+TODO: TODO WAITING | DONE",
        "",
        "* Work",
        *plant(r, bulk, special, 6),
    ], [[names[0], late], [names[1], wait]]


@case(
    "git -C /w/rfcs show HEAD:rfcs/0041-idempotency.md", ask="Which alternatives were rejected, and what is still unresolved?"
)
def design_record(r):
    alts, why = idents(r, 3, " "), [
        f"it costs {r.randint(20, 90)} ms per request",
        f"it needs {r.randint(3, 9)} more tables",
        f"{r.choice(PEOPLE)} showed that it loses events on failover",
    ]
    question = f"Whether keys live {r.randint(2, 9)} or {r.randint(10, 40)} days is left to the pilot."
    out = ["# RFC 41: Idempotency keys", "", "- Status: accepted", f"- Authors: {', '.join(people(r, 3))}", ""]
    for h in ["Motivation", "Guide-level explanation", "Reference-level explanation", "Drawbacks"]:
        out += [
            f"## {h}",
            "",
            *[f"{prose(r, 7)}\n" for _ in range(5)],
            "```http",
            "POST /v3/orders HTTP/1.1",
            f"Idempotency-Key: {uuid(r)}",
            "```",
            "",
        ]
    out += ["## Rationale and alternatives", "", prose(r, 5), ""]
    for a, w in zip(alts, why):
        out += [f"### {a.capitalize()} on the client", "", f"{prose(r, 3)} Rejected because {w}. {prose(r, 2)}", ""]
    out += [
        "## Prior art",
        "",
        prose(r, 8),
        "",
        "## Unresolved questions",
        "",
        prose(r, 3),
        "",
        question,
        "",
        "## Future possibilities",
        "",
        *[f"{prose(r, 7)}\n" for _ in range(4)],
    ]
    return out, [[f"{a.capitalize()} on the client", f"Rejected because {w}"] for a, w in zip(alts, why)] + [question]

"""Pages, papers, minutes and manuals."""

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, alarms, camel, distinct, entries, fresh, hexes, ident, ip, prose


@case(tool="WebFetch", url="https://forum.example.net/t/48119")
def forum_html(r):
    """Raw markup with its menus; among long answers one is accepted and one corrects it."""

    def post(body=None, cls="", votes=None):
        p = r.choice(PEOPLE)
        return (
            f'<article class="post{cls}" id="p{r.randint(10**5, 10**6)}" data-user="{p.lower()}"><header><a '
            f'class="u" href="/u/{p.lower()}"><img src="/avatars/{hexes(r, 12)}.png" alt=""/>{p}</a>'
            f'<span class="votes">{votes or r.randint(0, 9)}</span></header>\n<div class="cooked"><p>'
            f'{body or prose(r, 3)}</p>\n</div><footer><button class="like">Like</button><button>Share</button>'
            '<button>Flag</button></footer></article>'
        )

    opt, v, flag = ident(r, "."), r.randint(100, 900), ident(r, "_").upper()
    answer = f"Set <code>{opt}={v}</code> and restart the historian, that solved it for us."
    warn = (
        f"Careful: from version {r.randint(5, 9)}.{r.randint(1, 9)} on this loses data unless <code>{flag}</code> is "
        "exported as well."
    )
    nav = "\n".join(f'<li class="nav"><a href="/c/{t}"><svg class="i"><use href="#{t}"/></svg>{t.capitalize()}</a></'
        'li>' for t in r.sample(THINGS, 20))
    bad = [post(answer, " accepted-answer", r.randint(60, 400)), post(warn, "", r.randint(20, 50))]
    return f"<!DOCTYPE html><html><head><title>Points arrive late</title></head><body><ul>{nav}</ul>\n" + "\n".join(
        entries(r, 10, post, bad)) + "\n</body></html>", [
        f"{opt}={v}",
        ["loses data", flag],
    ]


@case("curl -s 'https://wiki.example.net/w/index.php?title=Relay&action=raw'")
def mediawiki_source(r):
    def section():
        t = ident(r, " ").capitalize()
        refs = (
            f"<ref>{{{{cite web|title={t}|url=https://example.net/{hexes(r, 5)}|access-date=2024-0{r.randint(1, 9)}"
            f"-11}}}}</ref>"
        )
        return (
            f"== {t} ==\n{prose(r, 4)}{refs}\n\n[[File:{camel(ident(r), True)}.svg|thumb|{prose(r, 1)}]]\n* "
            f"[[{r.choice(THINGS).capitalize()}]]\n* [[{r.choice(THINGS).capitalize()} ({ident(r, ' ')})|"
            f"{r.choice(THINGS)}]]\n"
        )

    amps, year = r.randint(400, 900), r.randint(1950, 1999)
    why = f"withdrawn in {year} after the Voss incident, which cost {r.randint(11, 99)} lives"
    bad = [
        f"{{{{Warning|Never open this type above {amps} A: the arc does not go out.}}}}\n",
        f"== Withdrawal ==\n{prose(r, 2)} The series was {why}.\n",
        f"{{{{Disputed section|date=May 2024|reason=the figure of {amps * 11} units has no source}}}}\n",
    ]
    return entries(r, 9, section, bad), [f"Never open this type above {amps} A", why,
        [f"{amps * 11} units", "has no source"]]


@case("pdftotext -layout paper.pdf -")
def paper_text(r):
    """Two sentences give the result, one the restriction; the page breaks are real form feeds."""
    page = [1]

    def para():
        if r.random() < 0.1:
            page[0] += 1
            return f"\n{'':>40}{page[0]}\n\f"
        if r.random() < 0.12:
            return f"\n{r.randint(2, 7)}.{r.randint(1, 9)}   {ident(r, ' ').title()}\n"
        words, out, line = prose(r, 5).split(), [], "   "
        for w in words:
            if len(line) + len(w) > 74:
                out.append(line)
                line = ""
            line += (" " if line.strip() else "") + w
        return "\n".join([*out, line]) + f" [{r.randint(1, 60)}]"

    pct, n, base = r.randint(31, 79), r.randint(1000, 9999), ident(r, "-").upper()
    bad = [
        f"   Our main result: restoration time falls by {pct}.{r.randint(1, 9)} percent against\nthe baseline {base} "
        "(p < 0.001).",
        f"   Limitation: all runs use {n} simulated feeders; we could not repeat the\ngain on field data.",
        f"Table 3.  Energy not supplied (MWh)\n\n   Method        mean      max\n   {base:<14}{r.randint(20, 90)}.1  "
        f"   {n + 77}.0\n   ours          11.4     31.0\n",
    ]
    return entries(r, 7.5, para, bad), [[f"falls by {pct}.", base], [f"{n} simulated feeders", "field data"]]


@case(tool="read_document", name="ata-2025-04.txt")
def ata_portugues(r):
    """Portuguese minutes: decisions and tasks among reports that change nothing."""
    temas = (
        "o orçamento da oficina,a sala de controlo,o parque de contadores,a escala de turnos,o plano de formação,a "
        "rede de fibra".split(",")
    )

    def item():
        return (
            f"{r.choice(PEOPLE)} apresentou um ponto de situação sobre {r.choice(temas)}. "
            + r.choice(["Não houve perguntas. ", "Seguiu-se uma breve troca de impressões. ",
                "O assunto volta na próxima reunião. "])
            + f"Recordou-se ainda {r.choice(temas)}, sem novidades desde a última sessão, e agradeceu-se o trabalho "
                "da equipa.\n"
        )

    who, when, v, n = r.choice(PEOPLE), f"{r.randint(10, 28)} de junho", r.randint(100000, 900000), r.randint(100, 999)
    bad = [
        f"DECISÃO {n}/25: aprovada a compra de dois transformadores por {v} euros, com um voto contra.\n",
        f"Ação: {who} entrega o plano de evacuação até {when}.\n",
        f"Atenção: a licença da subestação {n + 11} caduca antes da vistoria e não pode ser renovada.\n",
    ]
    return entries(r, 5.2, item, bad), [
        [f"DECISÃO {n}/25", f"{v} euros"],
        [f"{who} entrega o plano de evacuação", when],
        [f"subestação {n + 11}", "caduca"],
    ]


@case(tool="read_document", name="手册.md")
def handbook_chinese(r):
    """A Chinese handbook: headings, much description, three rules that bind."""
    things = "变压器 断路器 母线 电容器 逆变器 传感器 馈线 继电器".split()

    def part():
        a, b, c = r.sample(things, 3)
        return f"### {a}与{b}\n\n{a}通常安装在{b}的左侧。" + r.choice(
            [f"大多数读者先看{c}，然后再看{a}。", f"{b}的符号与{c}的符号相似。", f"培训课程同时介绍{a}和{c}。"]
        ) + f"图{r.randint(1, 90)}给出了{b}的外形，供参考。\n"

    kv, m, tel = r.choice([110, 220, 330]), r.randint(15, 59), f"8{r.randint(1000, 9999)}"
    bad = [
        f"> **警告**：{kv}千伏设备断电后必须等待{m}分钟才能接触。\n",
        f"**必须**：操作票由两人签字，值班电话{tel}。\n",
        f"自{r.randint(2026, 2029)}年{r.randint(1, 9)}月起，旧型号禁止使用。\n",
    ]
    return entries(r, 5, part, bad), [f"{kv}千伏设备断电后必须等待{m}分钟", tel, "旧型号禁止使用"]


@case("cat docs/operations.adoc")
def asciidoc_manual(r):
    names = fresh(r, "-")

    def section():
        n = next(names)
        return (
            f"[#{n}]\n=== {n.replace('-', ' ').capitalize()}\n\n{prose(r, 4)}\n\n[source,console]\n----\n$ gridctl "
            f"{n.replace('-', ' ')} --site {r.choice(HOSTS)}\nok\n----\n"
        )

    env, gb, port = ident(r).upper(), r.randint(100, 900), r.randint(20000, 60000)
    bad = [
        f"[WARNING]\n====\nRunning the importer without `{env}=1` deletes all setpoints of the site.\n====\n",
        f"IMPORTANT: The historian needs {gb} GB of free space before an upgrade.\n",
        f"NOTE: As of this release the gateway listens on port {port} instead of 2404.\n",
    ]
    return entries(r, 9, section, bad), [[env, "deletes all setpoints"], f"{gb} GB", f"port {port} instead of 2404"]


@case(tool="zendesk_ticket", id=90213)
def support_ticket(r):
    clock = Clock(r, 20000)
    customer = r.choice(PEOPLE)

    def mail(text=None, who=None):
        p = who or r.choice(PEOPLE)
        t = clock()
        quote = "\n".join("> " + x for x in prose(r, 4).split(". "))
        return (
            f"{p} <{p.lower()}@example.net>\n{t:%a, %d %b %Y %H:%M}\n\nHello,\n\n{text or prose(r, 3)}\n\n{quote}\n\n"
            f"Kind regards\n{p}\n-- \nGrid Works Ltd, Unit {r.randint(1, 90)}, Registered in England\nThis message "
            f"may be confidential.\n{'_' * 60}\n"
        )

    said, ver, day = alarms(r, 1)[0], f"7.{r.randint(10, 40)}.{r.randint(1, 9)}", r.randint(10, 28)
    refund = r.randint(10000, 90000)
    bad = [
        lambda: mail(f"Since the update to {ver} we get this every night: {said}. Going back to the version before "
            "helps.", customer),
        lambda: mail(f"Engineering confirms the fault. The fix ships on {day} November, until then switch the cache "
            "off."),
        lambda: mail(f"If this is not solved by Friday we shall ask for a credit of {refund} pounds.", customer),
    ]
    return entries(r, 8, mail, bad), [[said, ver], [f"{day} November", "switch the cache off"],
        f"credit of {refund} pounds"]


@case("cat interview-07.srt")
def interview_srt(r):
    k, t = [0], [0]

    def cue(text=None):
        k[0] += 1
        a = t[0] = t[0] + r.randint(1200, 6000)
        stamp = [f"{x // 3600000:02d}:{x // 60000 % 60:02d}:{x // 1000 % 60:02d},{x % 1000:03d}" for x in (a, a + 1100)]
        return f"{k[0]}\r\n{stamp[0]} --> {stamp[1]}\r\n{text or prose(r, 1)}\r\n\r"

    day, n, who = r.randint(10, 28), r.randint(1000, 9000), r.choice(PEOPLE)
    bad = [
        lambda: cue(f"To be honest, we knew about the cracked bushings on {day} March."),
        lambda: cue(f"It was {who} who switched the alarm off, not the night crew."),
        lambda: cue(f"In the end {n} households were without power for six days."),
    ]
    return entries(r, 8.5, cue, bad), [f"cracked bushings on {day} March", f"{who} who switched the alarm off",
        f"{n} households"]


@case(tool="WebFetch", url="https://docs.example.net/gridctl/migrate", ask="We upgrade gridctl tomorrow. What must "
    "we know?")
def migration_page(r):
    """A page turned to Markdown with menus, and the changes that break something far below."""
    menu = [f"* [{ident(r, ' ').capitalize()}](/gridctl/{ident(r, '-')})" for _ in range(60)]

    def section():
        return (
            f"## {ident(r, ' ').capitalize()}\n\n{prose(r, 5)}\n\n```yaml\n{ident(r)}:\n  {r.choice(THINGS)}: "
            f"{r.randint(1, 90)}\n  host: {ip(r)}\n```\n"
        )

    (old, new), gone, v = (ident(r, "-") for _ in range(2)), ident(r, "-") + "-legacy", distinct(r, 1, 10, 60)[0]
    bad = [
        f"## Breaking changes\n\nThe flag `--{old}-x` is now called `--{new}-y`; the old spelling is an error.\n",
        f"> **Removed:** the command `{gone}` no longer exists.\n",
        f"Before you start, take a backup: the store is rewritten in place, and there is no way back after step {v}.\n",
    ]
    return [*menu, "", *entries(r, 9, section, bad)], [
        [f"--{old}-x", f"--{new}-y"],
        [gone, "no longer exists"],
        f"no way back after step {v}",
    ]

"""Prose: what was decided, by whom, which number, until when; in other languages too."""

import html

from ..case import case
from .stock import DEEDS, PEOPLE, THINGS, hexes, name, names, plant, prose

SACHEN = "Regal Band Leser Katalog Presse Satz Rand Druck Bogen Fahne Einband Lager Archiv Scanner Verlag Auflage Lesesaal Magazin".split()
CHOSES = "rayon tome lecteur catalogue presse marge tirage cahier dos reliure dépôt atelier fonds prêt guichet".split()
COSAS = "estante tomo lector catálogo prensa margen tirada cuaderno lomo taller fondo préstamo mostrador archivo".split()


def heads(r, n):
    return [f"{d.capitalize()}ing a {t}" for d, t in zip(r.sample(DEEDS, n), r.sample(THINGS, n))]


def idle(r, words, forms, n):
    """`n` sentences of another language without any news in them."""
    return " ".join(r.choice(forms).format(*r.sample(words, 3)) for _ in range(n))


def deutsch(r, n=5):
    return idle(
        r,
        SACHEN,
        [
            "Zum Thema {} gab es keine Wortmeldungen, {} und {} bleiben wie bisher.",
            "Das Thema {} wurde kurz angesprochen, ebenso {} und {}.",
            "Bei {} läuft alles wie gewohnt, auch bei {} und {}.",
        ],
        n,
    )


def francais(r, n=5):
    return idle(
        r,
        CHOSES,
        [
            "On évoque brièvement {}, {} et {}, sans conclusion.",
            "Rien à signaler pour {}, ni pour {} ou {}.",
            "La question « {} » reste liée à « {} » et « {} ».",
        ],
        n,
    )


def espanol(r, n=5):
    return idle(
        r,
        COSAS,
        [
            "Se comenta el asunto {} junto con {} y {}.",
            "Sin novedades sobre {}, {} ni {}.",
            "El tema {} depende, como siempre, de {} y de {}.",
        ],
        n,
    )


@case("cat README.md", ask="How do I set this up?")
def readme_setup(r):
    tool, port, flag = name(r, "-"), r.randint(2000, 9999), name(r, "-")
    titles = heads(r, 7)
    install, start = f"brew install {tool}", f"{tool} serve --port {port} --{flag}"
    need = f"Needs Node {r.randint(18, 24)}.{r.randint(1, 20)} or newer"
    out = [f"# {tool}", "", "[![build](https://ci.example/b.svg)](https://ci.example)", "", prose(r, 4), ""]
    for k, t in enumerate(titles):
        out += [f"## {t}", "", prose(r, 9), ""]
        out += ["```sh", install, start, "```", "", f"{need}; anything older fails at start.", ""] if k == 2 else []
        out += [f"- {prose(r, 1)}" for _ in range(6)] + ["", prose(r, 12), ""]
    return out, [f"# {tool}", *titles, install, start, need]


@case(tool="web_fetch", url="https://specs.example/draft-folio-03.txt", ask="What does the protocol demand of a server?")
def rfc_text(r):
    musts = [
        f"A server MUST close the connection after {r.randint(11, 99)} seconds of silence",
        f"Frames larger than {r.randint(1025, 65000)} octets MUST be answered with code {r.randint(400, 599)}",
        f"Implementations MUST NOT reuse a {r.choice(THINGS)} identifier",
    ]
    titles = [f"{k}.  {t}" for k, t in enumerate(heads(r, 9), 1)]
    out = [
        "Network Working Group                                          C. Quire",
        "Internet-Draft                                             October 2025",
        "",
        f"              The Folio Protocol, Version {r.randint(2, 9)}",
        "",
    ]
    for k, t in enumerate(titles):
        body = [prose(r, 6) for _ in range(4)]
        if k in (3, 4, 6):
            body[2] = f"{prose(r, 2)} {musts[(3, 4, 6).index(k)]}. {prose(r, 2)}"
        out += [t, ""]
        for b in body:
            words, line = b.split(), "  "
            for w in words:
                if len(line) + len(w) > 70:
                    out.append(line)
                    line = "  "
                line += " " + w
            out += [line, ""]
        if k % 3 == 2:
            out += [
                "",
                f"Quire                     Expires April 2026                   [Page {k + 1}]",
                "\f",
                "Internet-Draft            Folio Protocol               October 2025",
                "",
            ]
    return out, [*titles, *musts]


@case("cat mail/thread-8812.mbox", ask="What did they agree on?")
def mail_thread(r):
    """Each answer quotes all that was said before; the agreement is in the midst."""
    who = r.sample(PEOPLE, 5)
    price = f"{r.randint(11, 99)},{r.randint(100, 999)} EUR"
    deal = f"Agreed: we order {r.randint(200, 900)} reams at {price}, delivery on {r.randint(2, 27)} November"
    but = f"Please note that our bank account has changed to the one ending in {r.randint(1000, 9999)}"
    said, out = [], []
    for k in range(12):
        body = [prose(r, 3), prose(r, 2)]
        body[1:1] = [deal + "."] if k == 6 else [but + "."] if k == 8 else []
        w = who[k % 5]
        quoted = [">" * min(4, depth + 1) + " " + line for depth, old in enumerate(reversed(said[-4:])) for line in old]
        if k == 6 or k == 8:
            quoted = quoted[:6]
        out += [
            f"From: {w} <{w.lower()}@press.example>",
            f"Date: Mon, {k + 3:02d} Nov 2025 09:{r.randint(10, 59)}:00 +0100",
            "Subject: Re: paper for the spring list",
            f"Message-ID: <{hexes(r, 12)}@press.example>",
            "",
            f"Hello {who[(k + 1) % 5]},",
            "",
            *body,
            "",
            f"Kind regards, {w}",
            "",
            f"On the day before, {who[(k - 1) % 5]} wrote:",
            *quoted,
            "",
        ]
        said.append([prose(r, 2) if b in (deal + ".", but + ".") else b for b in body])
    return out, [deal, but, "paper for the spring list"]


@case(tool="slack_history", channel="ops", ask="What came out of the incident chat?")
def chat_transcript(r):
    cause = f"found it: {r.choice(THINGS)}-svc {r.randint(2, 9)}.{r.randint(10, 30)} leaks {r.randint(11, 99)} MB per minute"
    plan = f"decision: roll back to build {r.randint(1000, 9999)}, {r.choice(PEOPLE)} does it at {r.randint(14, 19)}:{r.randint(10, 59)}"
    harm = f"customers hit: {r.randint(1000, 9999)}, all in region {r.choice(['eu-3', 'us-7'])}"
    idle_talk = [
        "looking",
        "same here",
        "+1",
        "anyone got the dashboard link?",
        "brb coffee",
        "graphs look flat to me",
        "can you share your screen",
        "ok joining the call",
        "lol",
        "my laptop just rebooted",
        "still reading the logs",
        "thanks!",
    ]
    said = plant(r, [r.choice(idle_talk) if r.random() < 0.6 else prose(r, 1).lower() for _ in range(170)], [cause, plan, harm])
    return [f"[{10 + k // 60}:{k % 60:02d}] {r.choice(PEOPLE).lower()}: {s}" for k, s in enumerate(said)], [cause, plan, harm]


@case("cat protokoll.md", ask="Was wurde beschlossen?", tool="terminal")
def protokoll_deutsch(r):
    wer = r.sample(PEOPLE, 3)
    beschluss = f"Beschluss: Die Leihfrist wird ab 1. März auf {r.randint(31, 89)} Tage verlängert"
    kosten = f"Die Kosten betragen {r.randint(11, 99)}.{r.randint(100, 999)} Euro"
    aufgabe = f"Aufgabe {wer[0]}: Angebot der Druckerei bis {r.randint(10, 28)}.02.2026 einholen"
    punkte = [f"TOP {k}: {a} und {b}" for k, (a, b) in enumerate((r.sample(SACHEN, 2) for _ in range(8)), 1)]
    out = ["# Protokoll der Sitzung vom 14. Januar", "", f"Anwesend: {', '.join(wer)}", ""]
    for k, p in enumerate(punkte):
        text = [deutsch(r, 6), deutsch(r, 6), deutsch(r, 5)]
        text[1:1] = (
            [f"**{beschluss}.**"]
            if k == 3
            else [f"{deutsch(r, 2)} {kosten}. {deutsch(r, 2)}"]
            if k == 4
            else [aufgabe]
            if k == 5
            else []
        )
        out += [f"## {p}", "", *[x for t in text for x in (t, "")]]
    return out, [beschluss, kosten, aufgabe, *punkte]


@case("cat compte-rendu.txt", ask="Qu'est-ce qui a été décidé ?")
def compte_rendu_francais(r):
    decision = f"Il est décidé de fermer l'atelier B du {r.randint(2, 9)} au {r.randint(11, 28)} juillet"
    panne = f"Attention : la machine n° {r.randint(100, 999)} est hors service depuis {r.randint(3, 30)} jours"
    vote = f"Vote : {r.randint(11, 19)} voix pour, {r.randint(2, 9)} contre"
    said = plant(r, [f"{r.choice(PEOPLE)} : {francais(r, 3)}" for _ in range(60)], [decision + ".", panne + ".", vote + "."])
    return ["Compte rendu de la réunion du comité", "", *[x for s in said for x in (s, "")]], [
        decision,
        panne,
        vote,
        "Compte rendu de la réunion du comité",
    ]


@case(tool="fetch", url="https://biblioteca.example/horario", ask="¿Qué ha cambiado?")
def pagina_espanol(r):
    titulo, partes = "Avisos de la biblioteca", [f"{a.capitalize()} y {b}" for a, b in (r.sample(COSAS, 2) for _ in range(7))]
    cierre = f"La sala permanecerá cerrada hasta el {r.randint(2, 27)} de septiembre por inundación"
    multa = f"La multa sube a {r.randint(2, 9)},{r.randint(10, 99)} € por día"
    cuerpo = [f"<h2>{html.escape(p)}</h2>\n" + "\n".join(f"<p>{espanol(r, 5)}</p>" for _ in range(5)) for p in partes]
    cuerpo[2] = cuerpo[2].replace("</p>", f" {cierre}.</p>", 2).replace(f" {cierre}.", "", 1)
    cuerpo[4] += f"\n<p><strong>{multa}.</strong></p>"
    menu = "".join(f'<li><a href="/{n}">{n}</a></li>' for n in names(r, 30, "-"))
    return f'<html lang="es"><head><title>{titulo}</title></head><body><ul>{menu}</ul>\n' + "\n".join(
        cuerpo
    ) + "\n</body></html>", [titulo, *partes, cierre, multa]


@case("man ./folio.1", ask="Which options are dangerous?")
def man_page(r):
    flags = names(r, 44, "-")
    bad = f"--{name(r, '-')}-force"
    warn = f"Deletes every {r.choice(THINGS)} older than {r.randint(2, 90)} hours without asking"
    out = [
        "FOLIO(1)                     User Commands                    FOLIO(1)",
        "",
        "NAME",
        "       folio - keep folios in order",
        "",
        "SYNOPSIS",
        f"       folio [OPTION]... {name(r).upper()}",
        "",
        "OPTIONS",
    ]
    for f in plant(r, [f"--{f}" for f in flags], [bad], 6):
        out += [f"       {f}", f"              {warn + '.' if f == bad else prose(r, 3)}", ""]
    code = f"{r.randint(64, 120)}     the {r.choice(THINGS)} is locked by another process"
    return [
        *out,
        "EXIT STATUS",
        "       0      all is well",
        f"       {code}",
        "",
        "SEE ALSO",
        *[f"       {n}(1)" for n in names(r, 12, "-")],
    ], [[bad, warn], code, out[6].strip()]

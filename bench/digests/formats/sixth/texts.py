"""Texts for people: minutes, a chat, a contract's XML, a bug report, a web page, a runbook, an Info manual."""

import json
import textwrap
from calendar import timegm

from ..case import case
from .stock import PEOPLE, THINGS, Clock, entries, hexes, ident, idents


def sentences(r, forms, words, n):
    """`n` different sentences: in each form, {a}, {b} are words, {n}, {m} numbers, {h} an hour, {p} a person."""
    out = []
    for form in r.sample(forms, n):
        a, b = r.sample(words, 2)
        numbers = dict(n=r.randint(11, 48), h=r.randint(8, 17), m=r.randint(50, 980))
        out.append(form.format(a=a, b=b, p=r.choice(PEOPLE), **numbers))
    return out


# Minutes in Polish

POLISH = (
    "scenografia|montaż|dubbing|oświetlenie|charakteryzacja|kostiumy|nagranie dźwięku|korekcja barw|lektorat|"
    "storyboard|casting|próba|dekoracje|napisy"
).split("|")
POLISH_FORMS = (
    "Stan prac ({p}): {a} i {b} idą zgodnie z planem.",
    "Omówiono pozycję „{a}”, uwag nie zgłoszono.",
    "{p} pyta, czy {a} i {b} mogą odbyć się tego samego dnia; kierownik hali potwierdza.",
    "Do sceny {n} potrzebne będą dwa dodatkowe statywy, są w magazynie.",
    "Materiał z dnia {n} zajął {m} GB i został skopiowany bez błędów.",
    "Zespół obejrzał ujęcia {n}–{m}, wersja druga podoba się bardziej.",
    "{p} dziękuje ekipie za sprawne przygotowanie planu.",
    "Pozycja „{b}” przesuwa się o jeden dzień, co nie wpływa na pozostałe terminy.",
    "Przyjęto do wiadomości zestawienie godzin za ubiegły tydzień ({m} h).",
    "W hali {n} wymieniono oświetlenie robocze.",
    "Wykonawca prosi o plan hali w formacie A3, {p} wyśle go dziś po południu.",
    "Budżet pozycji „{a}” wykorzystano w {n} %.",
    "{p} przypomina o podpisywaniu kart sprzętu.",
    "Rozmawiano o kolejności zdjęć: najpierw {a}, potem {b}.",
    "Katering od poniedziałku przywozi obiady pół godziny wcześniej.",
    "Nowa wersja scenariusza liczy {m} stron, zmiany zaznaczono na niebiesko.",
    "{p} relacjonuje wizytę w plenerze, dojazd zajmuje {n} minut.",
    "Rekwizyty do sceny {n} przyjechały w komplecie.",
    "Próba kamerowa wypadła dobrze, {p} dołączy notatki.",
    "Zapas dysków wystarczy na {n} dni zdjęciowych.",
    "{b}: bez zmian od ostatniego spotkania.",
    "Dla statystów przewidziano {n} miejsc w garderobie.",
    "Ustalono, że spotkania będą nadal odbywać się we wtorki.",
    "Postanowiono zamówić {n} rolek taśmy podłogowej.",
)


@case("cat protokoly/narada-produkcyjna.txt", ask="To jest protokół z narady. Przeczytaj, proszę.")
def protokol_polski(r):
    scene, sum_, day, hall = r.randint(51, 97), r.randint(112, 389), r.randint(3, 27), r.randint(3, 9)
    who = r.choice(PEOPLE)
    told = [
        f"Postanowiono wstrzymać zdjęcia do sceny {scene} do czasu wyjaśnienia praw do piosenki.",
        f"Ubezpieczyciel odmówił pokrycia szkody z kaskaderem; brakuje {sum_} tys. zł, które trzeba znaleźć poza "
        "budżetem.",
        f"{who} odchodzi z końcem miesiąca, następcy na razie nie ma.",
        f"Straż pożarna zamknie halę {hall}, jeżeli wyjścia nie zostaną odblokowane do {day} czerwca.",
    ]
    point = iter(range(1, 999))

    def paragraph(extra=None):
        said = [s[0].upper() + s[1:] for s in sentences(r, POLISH_FORMS, POLISH, r.randint(3, 6))]
        if extra:
            said.insert(r.randint(1, len(said)), extra)
        title = r.choice(POLISH)
        return f"{next(point)}. {title[0].upper()}{title[1:]}\n\n{textwrap.fill(' '.join(said), 96)}\n"

    present = ", ".join(r.sample(PEOPLE, 7))
    head = ["PROTOKÓŁ Z NARADY PRODUKCYJNEJ", f"nr {r.randint(20, 60)}/2025", "", f"Obecni: {present}",
        "Protokołowała: Celia", ""]
    out = head + entries(r, 8, paragraph, [lambda t=t: paragraph(t) for t in told])
    needles = [f"wstrzymać zdjęcia do sceny {scene}", ["Ubezpieczyciel odmówił", f"{sum_} tys."], f"{who} odchodzi",
        [f"zamknie halę {hall}", f"{day} czerwca"]]  # fmt: skip
    return out + ["Na tym naradę zakończono.", "Następne spotkanie: wtorek, godz. 9.00."], needles


# A chat in Ukrainian, exported by Telegram Desktop

UKRAINIAN = "камера світло звук монтаж грим костюм реквізит дубляж сценарій кран візок студія".split()
CHAT = (
    "{a} вже на майданчику", "доброго ранку всім 🙂", "хто забрав {b} з павільйону {n}?", "я на місці за {n} хв",
    "дубль {n} мені подобається більше", "ок", "дякую!", "{a} і {b} перенесли на другу половину дня",
    "скинула фото, дивіться, {b} стоїть ліворуч", "обід о {h}-й чи пізніше?", "так, як учора",
    "батареї заряджені, {n} шт.", "карта {m} скопійована, можна стирати", "а де зараз {p}?", "на складі",
    "хай {p} гляне, {a} трохи гуде", "прибрав, тепер тихо", "у сцені {n} ще раз {a}, будь ласка",
    "автобус виїжджає о {h}:15", "погода на завтра норм", "перевірила, {b} працює", "хтось бачив синю ізострічку?",
    "список на завтра в закріпленому", "{a}: усе за планом", "зайняли павільйон {n}, ми в сусідньому",
    "надішліть, будь ласка, таймкод", "00:{n}:17:05", "не поспішайте, світло ще ставлять", "👍",
    "лінзу {n} мм повернули",
)  # fmt: skip


@case("cat ChatExport_2025-04-02/result.json")
def telegram_ukrainian(r):
    now, number = Clock(r, 200), iter(range(r.randint(20000, 90000), 10**6))
    ids = {p: f"user{r.randint(10**8, 10**9)}" for p in PEOPLE}
    place, day, code = r.randint(21, 48), r.randint(11, 28), r.randint(1000, 9999)

    def message(text=None):
        who, t = r.choice(PEOPLE), now()
        row = dict(id=next(number), type="message", date=t.strftime("%Y-%m-%dT%H:%M:%S"),
            date_unixtime=str(timegm(t.timetuple())))
        row.update({"from": who, "from_id": ids[who]})
        if text is None and r.random() < 0.06:
            row.update(photo="(File not included.)", width=1280, height=r.choice([720, 960]))
        if r.random() < 0.15:
            row["reply_to_message_id"] = row["id"] - r.randint(1, 9)
        row["text"] = text or sentences(r, CHAT, UKRAINIAN, 1)[0]
        row["text_entities"] = [dict(type="plain", text=row["text"])]
        return json.dumps(row, ensure_ascii=False, indent=1).replace("\n", "\n  ") + ","

    told = [
        f"диск {place} не читається, другої копії немає, втратили весь день {day}",
        f"страхувальний трос на крані перетерся, я зупинив кран {place % 9 + 1}",
        f"замовник зняв сцену {code} з фільму, більше її не знімаємо",
    ]
    rows = entries(r, 15, message, [lambda t=t: message(t) for t in told])
    out = ["{", ' "name": "Знімальна група Б",', ' "type": "private_supergroup",',
        f' "id": {r.randint(10**9, 10**10)},', ' "messages": [']
    needles = [[f"диск {place} не читається", "копії немає"], "трос на крані перетерся", f"зняв сцену {code}"]
    return out + ["  " + x for x in rows[:-1]] + ["  " + rows[-1][:-1], " ]", "}"], needles


# A word processor's XML

TERMS = (
    "The supplier brings the {a} to the stage no later than {n} hours before the first {b} of the day.",
    "A {a} that is damaged in use is repaired within {n} working days.",
    "The studio names one person for each {a}; until then it is {p}.",
    "Each {a} carries a label with its number, and the {b} it belongs to.",
    "The parties keep a list of every {a} and compare it at the end of each week.",
    "Power for the {a} is taken from the {b} circuit, up to {m} watts.",
    "The {a} is stored dry and between {n} and 60 degrees Fahrenheit.",
    "Rehearsals with the {a} are announced in the call sheet.",
    "Either party may ask for a {b} to be measured again at its own cost.",
    "Travel of the {a} crew is paid as in Annex {n}.",
    "The {b} may be exchanged for one of the same kind.",
    "Invoices state the number of the {a} and the days on which it was used.",
    "Weekly rates for the {b} are those of the list of prices, line {m}.",
    "Photographs of the {a} may be used in the studio's own brochures.",
    "Terms in this section have the same meaning as in section {n}.",
    "The {a} operator attends the briefing at the {b} each morning.",
    "If the {a} arrives late, the {b} is rehearsed first.",
    "Spare parts for the {a} are kept on stage {n}.",
    "Manuals of the {a} are handed over in English.",
    "The {b} is insured by the supplier while it is in transit.",
)


def run_xml(r, text):
    """The text in one or more runs, as an editor leaves them."""
    cut = r.randint(3, len(text) - 3) if r.random() < 0.3 and " " in text[3:] else 0
    parts = [text]
    if cut and " " in text[cut:]:
        at = text.index(" ", cut)
        parts = [text[:at], text[at:]]
    rsid = hexes(r, 6).upper()
    props = r.choice(["", "", '<w:rPr><w:lang w:val="en-GB"/></w:rPr>'])
    return "".join(f'<w:r w:rsidRPr="00{rsid}">{props}<w:t xml:space="preserve">{p}</w:t></w:r>' for p in parts)


@case("unzip -p rental-agreement.docx word/document.xml | sed 's/<w:p[ >]/\\n&/g'")
def docx_agreement(r):
    cap, days, months = r.randint(3, 9) * 250000, r.randint(2, 6), r.randint(31, 59)
    thing = r.choice(THINGS)
    told = [
        f"The studio's liability is unlimited; that of the supplier ends at {cap} euros.",
        f"The agreement renews itself for {months} months unless notice is given by registered mail {days} days "
        "before.",
        f"All footage recorded with the {thing} becomes the property of the supplier.",
    ]
    section, clause = iter(range(1, 200)), iter(range(1, 9999))

    def paragraph(text=None):
        if text is None and r.random() < 0.12:
            a, b = r.sample(THINGS, 2)
            title = f"{next(section)}. {a.capitalize()} and {b}"
            return f'<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>{title}</w:t></w:r></w:p>'
        said = sentences(r, TERMS, THINGS, r.randint(1, 3)) if text is None else [text]
        mark = f'<w:bookmarkStart w:id="{next(clause)}" w:name="_Ref{r.randint(10**7, 10**8)}"/>' if r.random(
            ) < 0.1 else ""
        style = '<w:pPr><w:pStyle w:val="Clause"/><w:spacing w:after="120"/></w:pPr>'
        body = run_xml(r, " ".join(said)) if text is None else f"<w:r><w:t>{text}</w:t></w:r>"
        return f'<w:p w:rsidR="00{hexes(r, 6).upper()}">{style}{mark}{body}</w:p>'

    head = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>']  # fmt: skip
    out = head + entries(r, 9.5, paragraph, [lambda t=t: paragraph(t) for t in told])
    out[-1] += "</w:body></w:document>"
    needles = ["studio's liability is unlimited", [f"renews itself for {months} months", f"{days} days before"],
        f"recorded with the {thing} becomes the property of the supplier"]  # fmt: skip
    return out, needles


# A bug report with many comments

TALK = (
    "I see the same with {a} {n} on Fedora, but only after the {b} has been opened twice.",
    "Could you attach the output of `studioctl dump {a}`?",
    "Attached. The {b} part starts at line {m}.",
    "Is the {a} panel visible when it happens?",
    "Yes, and the {b} panel too.",
    "I could not reproduce it with a fresh profile, {n} tries.",
    "With the {a} plugin switched off it takes longer, about {m} frames.",
    "On Windows the {b} looks fine to me.",
    "The log has nothing around that time besides `{a}: {m} frames`.",
    "Same here, version 7.{n}.",
    "I tried the nightly of last week, no difference.",
    "Does it matter whether the {a} is on a network drive?",
    "It is on a local disk in my case.",
    "The {b} thread waits in the trace, but it does so in good runs as well.",
    "Maybe related to the {a} work in bug {m}?",
    "I do not think so, that code is not built by default.",
    "A video of it is at the usual place, look at second {n}.",
    "My {a} has {m} clips, if that matters.",
    "Thanks for looking into this, it costs our {b} team some time every day.",
    "Adding {p}, who wrote the {a} view.",
    "I have no machine with that card, sorry.",
    "Setting {a}.{b} to {n} did nothing.",
    "Let us keep this one about the {a} and open another for the {b}.",
)


@case("bugzilla show 48213 --comments", ask="A user asks about bug 48213. What is known about it?")
def bugzilla_thread(r):
    now, number = Clock(r, 9000), iter(range(1, 999))
    commit, thing, bytes_ = hexes(r, 10), r.choice(THINGS), r.choice([16, 24, 32])
    first = "7." + str(r.randint(61, 88))
    told = [
        f"Bisected: the first bad commit is {commit}, since then the {thing} cache is keyed by inode only.",
        f"Until this is fixed: start with STUDIO_{thing.upper()}_CACHE=0, that makes it go away for us.",
        f"Careful, saving a project in this state truncates the {thing} track on disk to {bytes_} bytes. We lost "
        "two days.",
        f"Fixed on trunk. We shall not backport it, the first release with it is {first}.",
    ]

    def comment(text=None):
        k, who = next(number), r.choice(PEOPLE)
        said = sentences(r, TALK, THINGS, r.randint(1, 4))
        if text:
            said = said[:1] + [text]
        quote = ""
        if r.random() < 0.25 and k > 2:
            quote = (
                f"(In reply to {r.choice(PEOPLE)} from comment #{r.randint(1, k - 1)})\n"
                f"> {sentences(r, TALK, THINGS, 1)[0]}\n\n"
            )
        what = r.choice(["", "", "", f"Status: {r.choice(['NEW => UNCONFIRMED', 'UNCONFIRMED => NEW'])}\n",
            f"CC: +{r.choice(PEOPLE).lower()}@studio.example\n",
            f"Created attachment {r.randint(900, 9000)}: {ident(r)}.log\n"])  # fmt: skip
        body = textwrap.fill(" ".join(said), 80, break_long_words=False)
        stamp = now().strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"--- Comment #{k} from {who} <{who.lower()}@studio.example> {stamp} ---\n{what}{quote}{body}\n"

    head = ["Bug 48213 - Timeline shows the wrong pictures after switching projects", "Product: Studio Desk",
        "Component: Timeline",
        "Severity: normal   Priority: P3   Hardware: All   OS: Linux", "Keywords: triaged", ""]  # fmt: skip
    out = head + entries(r, 8.5, comment, [lambda t=t: comment(t) for t in told])
    needles = [["first bad commit", commit], f"STUDIO_{thing.upper()}_CACHE=0", f"truncates the {thing} track",
        ["not backport", first]]
    return out, needles


# A web page in Swedish

SWEDISH = (
    "kameran strålkastaren mixern scenen rekvisitan ljudbordet klippbordet projektorn stativet kranen "
    "filtret monitorn"
).split()
SWEDISH_FORMS = (
    "Kontrollera att {a} är ansluten innan {b} slås på.",
    "På sidan {n} i handboken visas var {a} står.",
    "Om {a} inte syns i listan kan du uppdatera vyn med F5.",
    "{p} på tekniken svarar gärna på frågor om {b}.",
    "Vanligtvis tar det ungefär {n} minuter.",
    "Inställningen sparas tillsammans med {a}.",
    "Välj sedan <em>Visa</em> och därefter <em>Alla</em>.",
    "Bilden visar hur {a} och {b} hör ihop.",
    "I studio {n} finns två exemplar, i de andra bara ett.",
    "Du kan byta namn på {a} när du vill.",
    "Den gröna lampan lyser när {b} är klar.",
    "Spara dina ändringar innan du går vidare.",
    "För äldre modeller gäller bilaga {n}.",
    "Här beskrivs hur {a} används i vardagen.",
    "Det går lika bra att börja med {b}.",
    "Kabeln till {a} är märkt med {m}.",
    "Efter passet ställs {a} tillbaka på hyllan.",
    "Listan över {b} uppdateras varje vecka.",
    "Har du frågor, ring {m}.",
    "Ljudnivån för {a} ligger normalt kring {n} procent.",
)


@case("curl -s https://intranat.example/teknik/studiohandbok.html", ask="Vad ska jag tänka på i studion?")
def studiohandbok_svenska(r):
    bar, minutes, code = r.randint(2, 8) + 0.5, r.randint(61, 95), r.randint(2100, 9900)
    day = r.randint(2, 28)
    told = [
        f"Livsfara: slå från huvudbrytaren och vänta {minutes} sekunder innan du öppnar {r.choice(SWEDISH)}, "
        "kondensatorn är laddad.",
        f"Från den {day} oktober fungerar inte gamla passerkort, byt kortet i receptionen före dess.",
        f"Överskrid aldrig {str(bar).replace('.', ',')} bar i dimmaskinen, ventilen i den nya serien saknar spärr.",
        f"Vid brandlarm släcks inte ljuset automatiskt; nödkoden till dörrarna är {code}.",
    ]
    number = iter(range(1, 999))

    def paragraph(text=None):
        said = sentences(r, SWEDISH_FORMS, SWEDISH, r.randint(2, 5))
        said = [s[0].upper() + s[1:] for s in said]
        if text:
            said.insert(r.randint(0, len(said)), text)
        k = r.random()
        if not text and k < 0.15:
            n = next(number)
            return f'<h2 id="avsnitt-{n}"><a href="#avsnitt-{n}">{n}. {r.choice(SWEDISH).capitalize()}</a></h2>'
        if not text and k < 0.3:
            return '<ol class="steg">\n' + "\n".join(f"  <li>{s}</li>" for s in said) + "\n</ol>"
        if not text and k < 0.36:
            return (
                f'<figure><img src="/bilder/{r.choice(THINGS)}-{r.randint(1, 99)}.webp" '
                f'alt="{r.choice(SWEDISH)}" loading="lazy"></figure>'
            )
        return f"<p>{' '.join(said)}</p>"

    head = ["<!DOCTYPE html>", '<html lang="sv">', "<head>", '<meta charset="utf-8">', "<title>Studiohandbok</title>",
        '<link rel="stylesheet" href="/css/intranat.css?v=41">', "</head>", "<body>", '<nav class="topp"><ul>']
    head += [f'<li><a href="/teknik/{t}.html">{t.capitalize()}</a></li>' for t in r.sample(THINGS, 14)]
    head += ["</ul></nav>", '<main class="artikel">', "<h1>Studiohandbok</h1>"]
    out = head + entries(r, 8, paragraph, [lambda t=t: paragraph(t) for t in told])
    out += ["</main>", "<footer>Teknikavdelningen, senast ändrad i våras</footer>", "</body>", "</html>"]
    needles = [["Livsfara", f"vänta {minutes} sekunder"], [f"den {day} oktober", "gamla passerkort"],
        f"aldrig {str(bar).replace('.', ',')} bar", f"nödkoden till dörrarna är {code}"]  # fmt: skip
    return out, needles


# A runbook in Turkish

TURKISH = (
    "kamera arşivi|ses masası|kurgu odası|ışık paneli|render çiftliği|dublaj kabini|altyazı servisi|sahne "
    "planı"
).split("|")
TURKISH_FORMS = (
    "{a} için günlük kontrol saat {h}.00'de yapılır.",
    "Önce {a}, ardından {b} açılır.",
    "Ekranda yeşil işaret görünene kadar bekleyin.",
    "{p} bu adımı geçen hafta gözden geçirdi.",
    "Kuyrukta {m} veya daha az iş varsa bir şey yapmaya gerek yoktur.",
    "{b} yeniden başlatıldığında kullanıcılar kısa bir kesinti görür.",
    "Sonuç genellikle {n} saniye içinde gelir.",
    "Listede {a} görünmüyorsa sayfayı yenileyin.",
    "Bu bölüm {b} ekibi tarafından güncellenir.",
    "Kayıtlar {m} gün saklanır.",
    "Ayrıntılar için {n}. sayfadaki şemaya bakın.",
    "{a} ile {b} arasındaki bağlantı otomatik kurulur.",
    "Komut çıktısı uzunsa yalnızca son satırlara bakmak yeterlidir.",
    "Nöbetçi değiştiğinde {a} durumu deftere yazılır.",
    "Deneme ortamında aynı adımlar uygulanabilir.",
    "Panoda {n} kutucuk vardır, hepsi yeşil olmalıdır.",
    "{b} gece boyunca boşta çalışır.",
    "İşlem bittiğinde {p} bilgilendirilir.",
    "Haftalık raporda {a} ayrı bir satırda gösterilir.",
    "Varsayılan değerler çoğu durumda yeterlidir.",
)


@case("cat isletim/nobet-kilavuzu.md", ask="Bu nöbet kılavuzu. Önemli olan ne?")
def nobet_kilavuzu_turkce(r):
    host, hours, size = r.choice(["vault-2", "farm-b", "sound-7"]), r.randint(3, 9), r.randint(81, 97)
    told = [
        f"Dikkat: {host} asla yeniden başlatılmamalıdır, disk şifresi yalnızca bellekte tutulur.",
        f"Yedekleme {r.choice(['Mart', 'Nisan', 'Mayıs'])} ayından beri çalışmıyor; geri yükleme şu an mümkün "
        "değildir.",
        f"Depolama doluluğu %{size} değerini geçerse çekim durdurulur ve yapımcı aranır.",
        f"Lisans sunucusu kapanırsa bütün istasyonlar {hours} saat sonra kilitlenir.",
    ]
    number = iter(range(1, 999))

    def section(text=None):
        said = sentences(r, TURKISH_FORMS, TURKISH, r.randint(3, 6))
        said = [s[0].replace("i", "İ").upper() + s[1:] for s in said]
        if text:
            said.insert(r.randint(1, len(said)), text)
        title = r.choice(TURKISH)
        out = [f"## {next(number)}. {title[0].replace('i', 'İ').upper()}{title[1:]}", ""]
        if r.random() < 0.4:
            out += [f"- {s}" for s in said]
        else:
            out.append(textwrap.fill(" ".join(said), 100))
        if r.random() < 0.35:
            a, b = r.sample(THINGS, 2)
            out += ["", "```sh", f"studioctl {a} {r.choice(['durum', 'liste', 'kontrol'])} --{b} {r.randint(1, 99)}",
                "```"]
        return "\n".join(out) + "\n"

    out = ["# Nöbet kılavuzu", "", f"Sürüm {r.randint(3, 9)}.{r.randint(0, 9)}", ""]
    out += entries(r, 7.5, section, [lambda t=t: section(t) for t in told])
    needles = [f"{host} asla yeniden başlatılmamalıdır", "geri yükleme şu an mümkün değildir",
        f"%{size} değerini geçerse çekim durdurulur",
        ["Lisans sunucusu", f"{hours} saat sonra kilitlenir"]]  # fmt: skip
    return out, needles


# An Info manual

INFO = (
    "This command works on the {a} under the cursor.",
    "With a prefix argument it takes the {b} instead.",
    "The {a} is shown in the echo area for {n} seconds.",
    "Most people leave this at its default.",
    "If there is more than one {b}, the first one is taken.",
    "The value is a number of frames, or 'nil' for the whole {a}.",
    "You can also reach it from the menu 'Tools->{b}'.",
    "Earlier versions called it the {a} table.",
    "A negative number counts from the end of the {b}.",
    "It has no effect in a buffer that is read-only.",
    "The list of {a}s is kept sorted by name.",
    "Moving the {b} does not change the {a}.",
    "The file is read again when the {a} has changed on disk.",
    "An empty string means the {b} of the project.",
)


@case("info --subnodes -o - reelmode", ask="This is the manual of our editor mode. Read it, please, a question "
"follows.")
def interest_info_manual(r):
    names = iter(idents(r, 400, "-"))
    name, value = f"reel-{next(names)}", r.randint(1200, 8900)
    a = r.choice(THINGS)

    def option(name=None, default=None):
        name = name or f"reel-{next(names)}"
        kind = r.choice(["User Option", "User Option", "Command", "Function",
            "Variable"]) if default is None else "User Option"
        args = {"Command": " &optional arg", "Function": f" {r.choice(THINGS).upper()} &rest args"}.get(kind, "")
        said = sentences(r, INFO, THINGS, r.randint(2, 5))
        if kind == "User Option":
            text = f"The default is {default or r.randint(2, 999)}."
            said.insert(r.randint(1, len(said)), text)
        body = textwrap.fill(" ".join(said), 72, initial_indent="     ", subsequent_indent="     ")
        return f" -- {kind}: {name}{args}\n{body}\n"

    def entry():
        if r.random() < 0.12:
            one, two, three = (w.capitalize() for w in r.sample(THINGS, 3))
            number = f"{r.randint(2, 9)}.{r.randint(1, 20)} {two}"
            return (
                f"\x1f\nFile: reelmode.info,  Node: {two},  Next: {three},  Prev: {one},  Up: Top\n\n"
                f"{number}\n{'=' * len(number)}\n\n"
                + textwrap.fill(" ".join(sentences(r, INFO, THINGS, 4)), 72)
                + "\n"
            )
        return option()

    head = ["This is reelmode.info, produced by makeinfo version 7.1 from reelmode.texi.", "",
        f"This manual is for Reel mode, version {r.randint(2, 6)}.{r.randint(1, 9)}.", ""]  # fmt: skip
    out = head + entries(r, 8, entry, [lambda: option(name, value)], low=0.3, high=0.75)
    return out, [f"{value}"], dict(last=f"What is the default of {name}? I only want the number.")

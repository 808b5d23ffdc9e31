"""Texts that people wrote, in several languages and forms: minutes, chats, an issue, mails, a procedure, a hearing."""

import re

from ..case import case
from .stock import HOSTS, PEOPLE, THINGS, Clock, distinct, entries, fill, hexes, ident, idents


def say(r, templates, pools):
    """One of `templates`; its {slots} name pools, {n} is a number, {p} a person, {h} a host, {c} a time of day."""

    def put(found):
        k = found[1]
        if k == "n":
            return str(r.randint(2, 96))
        if k == "c":
            return f"{r.randint(6, 21):02d}:{r.choice(['00', '10', '15', '30', '40', '45'])}"
        return r.choice({"p": PEOPLE, "h": HOSTS, **pools}[k])

    return re.sub(r"{(\w)}", put, r.choice(templates) if not isinstance(templates, str) else templates)


def harmless(r, odd, pools):
    """Some unusual sentences that nobody has to remember, like a list of (sentence, needle)."""
    return [(say(r, x, pools), None) for x in r.sample(odd, len(odd) - 1)]


def paragraph(r, templates, pools, low=2, high=6):
    """Different sentences, one after the other."""
    return " ".join(say(r, x, pools) for x in r.sample(templates, r.randint(low, high)))


ITALIAN = dict(
    t="le provette;i vetrini;i reagenti;le etichette;le centrifughe;i congelatori;i corrieri;le richieste;gli "
    "analizzatori;i referti".split(";"),
    r="il reparto di cardiologia;il pronto soccorso;la pediatria;la chirurgia;il centro "
    "prelievi;l'ambulatorio".split(";"),
    m="gennaio febbraio marzo aprile maggio giugno settembre ottobre novembre".split(),
)
ITALIAN_TALK = (
    "{p} riferisce che {t} sono in linea con il mese di {m}.",
    "Si discute a lungo se {t} debbano essere contati prima o dopo il turno di notte.",
    "{p} ricorda che {r} aveva già posto la stessa domanda in {m}.",
    "Secondo {p} i tempi medi sono scesi da {n} a {n} minuti, ma i dati sono ancora provvisori.",
    "{p} chiede chi aggiornerà il manuale; {p} risponde che se ne parlerà nella prossima riunione.",
    "Il fornitore ha mandato un preventivo per {t}, che {p} farà circolare.",
    "Viene letta la lettera con cui {r} ringrazia per la collaborazione.",
    "{p} mostra un grafico ({t}, ultimi {n} giorni): nessuna anomalia.",
    "Per {t} resta valido quanto detto in {m}.",
    "{p} osserva che {r} spedisce spesso dopo le {c}, il che complica il ritiro.",
    "Alcuni presenti preferirebbero il vecchio modulo; {p} ne prende nota.",
    "La formazione ({t}) ha avuto {n} partecipanti, il giudizio è buono.",
    "{p} propone di affidare la questione ({t}) a un gruppo ristretto.",
    "Non ci sono obiezioni, salvo una precisazione di {p} sulla tabella {n}.",
    "{p} riassume le telefonate con {r}: niente di nuovo.",
    "Si constata che {t} occupano ormai {n} scaffali della stanza fredda.",
    "{p} ringrazia {p} per il lavoro svolto in {m}.",
    "Il verbale precedente è approvato con una correzione a pagina {n}.",
)
ITALIAN_ODD = (
    "{p} arriva alle {c} scusandosi per lo sciopero dei treni.", "La macchinetta del caffè resta al secondo piano.",
    "{p} porta i saluti della dottoressa Ferri, ora in pensione.",
    "Il proiettore non funziona e si prosegue senza immagini.",
    "Si apprezza il nuovo colore delle pareti, tranne {p}.", "Un errore di battitura a pagina {n} suscita qualche "
    "risata.",
)
ITALIAN_ITEMS = (
    "Stato: {t}", "Rapporti con {r}", "Bilancio: {m}", "Turni e ferie", "Formazione", "Varie ed eventuali",
    "Acquisti: {t}",
    "Richieste: {r}", "Pulizia e manutenzione", "Statistiche: {m}", "Manuale della qualità", "Nuovi moduli per {t}",
)


@case("pdftotext -layout verbale_comitato.pdf -")
def verbale_italiano(r):
    n, day = r.randint(11, 39), r.randint(2, 27)
    specials = r.sample([
        (f"Si delibera all'unanimità di sospendere l'analizzatore {n} fino alla nuova taratura.",
        f"sospendere l'analizzatore {n}"),
        (f"Si decide di richiamare i {n * 7} pazienti il cui potassio è stato misurato con il lotto scaduto.",
        f"richiamare i {n * 7} pazienti"),
        (f"{r.choice(PEOPLE)} vota contro e fa mettere a verbale che manca il parere del garante della privacy.",
        "manca il parere del garante della privacy"),
        (f"Il contratto con il corriere scade il {day} luglio: senza disdetta entro il {day} maggio si rinnova per "
        f"cinque anni.",
            f"senza disdetta entro il {day} maggio"),
        (f"Il congelatore {n} è rimasto spento per nove ore e nessuno ha ricevuto l'allarme.",
        f"congelatore {n} è rimasto spento"),
    ], 3)
    points = iter(range(1, 99))

    def section(special=None):
        text = [paragraph(r, ITALIAN_TALK, ITALIAN) for _ in range(r.randint(1, 4))]
        if special:
            at = r.randint(0, len(text) - 1)
            text[at] = f"{text[at]} {special} {say(r, ITALIAN_TALK, ITALIAN)}"
        return "\n\n".join([f"{next(points)}. {say(r, ITALIAN_ITEMS, ITALIAN)}", *text, ""])

    head = [" " * 20 + "VERBALE DELLA RIUNIONE DEL COMITATO DI LABORATORIO", "",
        f"Presenti: {', '.join(r.sample(PEOPLE, 9))}.", ""]
    return head + entries(r, 9, section, [lambda s=s: section(s) for s, _ in specials + harmless(r, ITALIAN_ODD,
        ITALIAN)]), [x for _, x in specials]


DUTCH = dict(
    t="de centrifuge;het rek;de etiketprinter;de koelcel;de analyzer;de scanner;de broedstoof;het "
    "buizenpostsysteem".split(";"),
    b="ok;dank je;👍;prima;doe ik;ja;nee nog niet;haha;top;ik kijk zo;😂;moment;gezien;helder".split(";"),
)
DUTCH_TALK = (
    "{b}", "{b}", "{b}", "Wie heeft er {d} avonddienst?", "Ik ruil graag met iemand, liefst {d}",
    "Heeft iemand de sleutel van kast {n} gezien?",
    "{t} piept weer, even resetten hielp", "Koffie is op in de pauzeruimte",
    "Net {n} buizen van de poli binnen, allemaal netjes gelabeld",
    "De koerier is er pas om {c}", "Kan iemand {t} aanzetten als die langskomt?", "{p} is {d} jarig, wie regelt taart?",
    "Monteur voor {t} komt {d} tussen {c} en {c}", "Ik ben {n} minuten later, trein",
    "Rooster voor volgende maand staat in de map",
    "@{p} jij had toch de lijst met lotnummers?", "Handschoenen maat M zijn bijgevuld",
    "Wie weet hoe je {t} stil krijgt", "<Media weggelaten>",
    "Er ligt nog een jas van {p} bij {t}", "Overdracht gedaan, {n} spoedjes vandaag", "Ik neem {d} de telefoon",
    "Zijn de controles van {c} al binnen?",
    "Ja, alles binnen de grenzen", "Parkeren kan {d} niet aan de achterkant",
    "{p} vraagt of we {d} iemand kunnen missen",
)
DUTCH_ODD = (
    "Iemand zin om zondag mee te lopen, 10 km langs de plas?", "De kat van {p} is terug, hij zat bij de buren",
    "Wat een regen zeg, mijn fiets drijft weg",
    "Wie heeft dat gedicht op het whiteboard geschreven?", "Mijn dochter is geslaagd!! 🎉",
    "Kerstpakketten staan op kamer {n}",
)
DUTCH["d"] = "maandag dinsdag woensdag donderdag vrijdag zaterdag".split()


@case(tool="Read", file_path="/home/nadia/Downloads/WhatsApp-chat met Lab avonddienst.txt")
def whatsapp_nederlands(r):
    clock, who = Clock(r, 2400), r.sample(PEOPLE, 7)
    a, b = distinct(r, 2, 2010, 2990)
    specials = r.sample([
        (f"LET OP: buis {a} en {b} zijn verwisseld, uitslagen NIET vrijgeven tot ik terugbel",
        f"buis {a} en {b} zijn verwisseld"),
        (f"Even serieus: het lot {a} van de troponinetest wordt teruggeroepen, vanaf nu niet meer gebruiken",
        f"lot {a} van de troponinetest wordt teruggeroepen"),
        (f"We hebben besloten dat vanaf 1 {r.choice(['juni', 'oktober', 'maart'])} niemand meer alleen de "
        f"nachtdienst draait", "niemand meer alleen de nachtdienst"),
        (f"De koelcel staat op 14 graden en het alarm was uitgezet. Alles van plank {a % 50 + 10} weggooien",
        "alarm was uitgezet"),
        (f"Het wachtwoord van de balie-pc is gelekt, ik heb het gewijzigd. Nieuwe ligt bij {r.choice(PEOPLE)} in "
        f"de kluis", "wachtwoord van de balie-pc is gelekt"),
    ], 3)

    def line(text=None):
        return f"[{clock.text('%d-%m-%Y %H:%M:%S')}] {r.choice(who)}: {text or say(r, DUTCH_TALK, DUTCH)}"

    head = [f"[{clock.text('%d-%m-%Y %H:%M:%S')}] Lab avonddienst: ‎Berichten en oproepen zijn end-to-end versleuteld."]
    return head + entries(r, 8, line, [lambda s=s: line(s) for s,
        _ in specials + harmless(r, DUTCH_ODD, DUTCH)]), [x for _, x in specials]


RUSSIAN = dict(
    t="анализатор;принтер этикеток;шлюз HL7;сканер;очередь заказов;центрифуга;журнал результатов;экран "
    "дежурного".split(";"),
    o="отделение кардиологии;приёмный покой;реанимация;детское отделение;поликлиника".split(";"),
)
RUSSIAN_TALK = (
    "Проверил на {h}: у меня не воспроизводится.", "{o} жалуется, что {t} отвечает с задержкой около {n} секунд.",
    "Собрал логи за последние {n} часов, приложил к задаче.", "Судя по журналу, {t} перезапускался в {c}.",
    "{p}, посмотри, пожалуйста, когда будет время.", "Смотрю.", "После обновления драйвера {t} ведёт себя так же.",
    "На тестовом стенде {t} прошёл {n} циклов без ошибок.", "Вчера в {c} было ещё раз, длилось минут {n}.",
    "Похоже на прошлогодний случай, но там был другой {t}.", "Поставил более подробное журналирование на {h}.",
    "Ночью тихо, утром {o} прислало {n} заказов сразу.", "Пробовали поменять кабель, разницы нет.",
    "Поставщик ответил, что {t} у них работает штатно.", "Добавил график загрузки {h}, пиков не видно.",
    "Сравнил настройки {h} и соседнего узла: отличий нет, кроме имени.", "Память в норме, занято {n} %.",
    "Давайте подождём до следующей смены.", "Не срочно, но неприятно.", "Перенёс в текущий спринт.",
    "{p} говорит, что {t} трогать нельзя до {c}.", "Уточнил у дежурного: перезагрузка помогает примерно на {n} минут.",
)


RUSSIAN_ODD = (
    "Случайно закрыл вкладку с отчётом, восстановил.", "Прошу прощения за опечатку выше.",
    "Я в отпуске до конца недели, замещает {p}.",
    "Скриншот не прикрепился, пришлю почтой.", "В комнате {n} меняли лампы, свет моргал, на работу не повлияло.",
)


@case("curl -s https://redmine.lab.example/issues/48213.txt")
def redmine_russian(r):
    clock, note = Clock(r, 9000), iter(range(1, 999))
    n, code = r.randint(21, 89), hexes(r, 4)
    specials = r.sample([
        (f"Нашёл причину: таймаут в gateway.conf указан в миллисекундах, а читается как секунды (строка {n}).",
        f"читается как секунды (строка {n})"),
        (f"Внимание: при повторной отправке результат попадает в карту другого пациента, два случая подтверждены "
        f"({code}).",
            "результат попадает в карту другого пациента"),
        (f"Решили: откатываем 4.{n} на всех узлах и не обновляемся до исправления от поставщика.",
        f"откатываем 4.{n} на всех узлах"),
        (f"Обходной путь: выключить пакетный режим (batch=0) и перезапустить службу lis-hl7 на узле {n}.", "batch=0"),
    ], 3)
    fields = ["Статус", "Приоритет", "Исполнитель", "Готовность", "Версия", "Оценка времени"]

    def change():
        f = r.choice(fields)
        values = {"Статус": ["Новая", "В работе", "Обратная связь"], "Приоритет": ["Нормальный", "Высокий"],
            "Исполнитель": PEOPLE,
            "Готовность": ["10", "20", "40"], "Версия": [f"4.{k}" for k in range(10, 19)],
            "Оценка времени": ["2.00", "8.00", "16.00"]}[f]
        a, b = r.sample(values, 2)
        return f"  * Параметр {f} изменился с {a} на {b}"

    def update(text=None):
        out = [f"--- Обновил(а) {r.choice(PEOPLE)} {clock.text('%d.%m.%Y %H:%M')}  #{next(note)}"]
        out += [change() for _ in range(r.choice([0, 0, 0, 1, 2]))]
        if r.random() < 0.15:
            out.append(f"  * Файл {ident(r)}.log.gz добавлен")
        sentences = [say(r, x, RUSSIAN) for x in r.sample(RUSSIAN_TALK, r.randint(1, 4))]
        if text:
            sentences.insert(r.randint(0, len(sentences)), text)
        if r.random() < 0.15 and not text:
            sentences = [f"> {sentences[0]}", *sentences[1:], say(r, RUSSIAN_TALK, RUSSIAN)]
        return "\n".join([*out, "", *(s if s.startswith(">") else s for s in sentences), ""])

    head = ["Ошибка #48213", "Результаты приходят с опозданием", "", f"Добавил(а) {r.choice(PEOPLE)}.", "",
        "Статус:       В работе",
        "Приоритет:    Высокий", f"Исполнитель:  {r.choice(PEOPLE)}", "", "Описание", "",
        paragraph(r, RUSSIAN_TALK, RUSSIAN, 3, 4), "", "История", ""]
    return head + entries(r, 12, update, [lambda s=s: update(s) for s, _ in specials + harmless(r, RUSSIAN_ODD,
        RUSSIAN)]), [x for _, x in specials]


KOREAN = dict(
    t="검체 분류기;원심분리기;바코드 프린터;혈액 냉장고;자동 분석기;배송 상자;결과 전송 서버;예약 화면".split(";"),
    o="응급실;소아과;심장내과;외래 채혈실;중환자실".split(";"),
)
KOREAN_TALK = (
    "{p} 님이 {t}의 지난달 가동 현황을 보고하였다.", "{o}에서 요청한 {n}건은 모두 처리되었다.", "{t} 점검은 예정대로 {c}에 끝났다.",
    "{p} 님은 {o}의 의견을 더 들어 보자고 하였다.", "{t} 관련 문의가 {n}건 있었으나 특이 사항은 없었다.",
    "교육 자료는 {p} 님이 다음 회의 전까지 정리하기로 하였다.", "{o}의 대기 시간은 평균 {n}분으로 전월과 비슷하다.",
    "{t} 교체 여부는 견적을 받은 뒤 다시 논의한다.", "{p} 님이 사진 자료를 보여 주며 배치를 설명하였다.",
    "야간 근무표는 현재대로 유지한다는 의견이 많았다.", "{t}의 소모품 재고는 {n}일분이다.", "{p} 님이 {p} 님의 질문에 답하였다.",
    "{o} 측과의 연락 창구는 당분간 그대로 둔다.", "{t} 화면의 글자가 작다는 의견이 있었다.", "지난 회의록은 수정 없이 승인되었다.",
    "{n}번 양식의 문구를 다듬자는 제안이 있었다.", "{p} 님은 {t} 공급사와 통화한 내용을 공유하였다.", "정전 대비 훈련은 {c}에 실시하였다.",
)
KOREAN_ODD = (
    "{p} 님이 여행에서 돌아와 과자를 나누어 주었다.", "회의실 마이크가 고장 나 육성으로 진행하였다.", "창가 화분에 물을 주자는 이야기가 나왔다.",
    "{p} 님의 생일을 축하하였다.", "주차장 공사로 {n}분 늦게 시작하였다.", "새 로고 색이 예쁘다는 말이 있었다.",
)
KOREAN_TITLES = ("{t} 현황", "{o} 요청 사항", "교육 및 안전", "예산", "기타 안건", "근무표", "{t} 유지 보수", "품질 지표", "{o} 만족도 조사")


@case("cat 회의록/검사실_운영위원회.md")
def hoeuirok_korean(r):
    points, n, lot = iter(range(1, 99)), r.randint(12, 88), f"K{r.randint(2000, 9000)}"
    specials = r.sample([
        (f"**결정:** {lot} 시약은 오늘부터 사용을 중지하고 전량 반품한다.", f"{lot} 시약은 오늘부터 사용을 중지"),
        (f"{n}번 냉장고의 온도 기록이 사흘 동안 조작된 사실이 확인되었다.", f"{n}번 냉장고의 온도 기록이 사흘 동안 조작"),
        (f"환자 {n * 3}명의 결과가 다른 환자에게 발송되어 보건소에 신고하기로 하였다.", f"환자 {n * 3}명의 결과가 다른 환자에게 발송"),
        (f"새 전산 시스템 전환일을 9월에서 {r.choice(['11월', '12월', '이듬해 2월'])}로 연기하기로 의결하였다.", "연기하기로 의결"),
    ], 3)

    def section(special=None):
        lines = [("- " if k else "") + paragraph(r, KOREAN_TALK, KOREAN, 1, 3) for k in range(r.randint(3, 8))]
        if special:
            lines.insert(r.randint(1, len(lines)), "- " + special)
        return "\n".join([f"## {next(points)}. {say(r, KOREAN_TITLES, KOREAN)}", "", *lines, ""])

    head = ["# 검사실 운영위원회 회의록", "", f"참석: {', '.join(r.sample(PEOPLE, 8))}", ""]
    return head + entries(r, 9, section, [lambda s=s: section(s) for s, _ in specials + harmless(r, KOREAN_ODD,
        KOREAN)]), [x for _, x in specials]


CHANNEL = dict(t=THINGS, p=[p.lower() for p in PEOPLE])
CHANNEL_TALK = (
    "morning", "anyone around?", "o/", "lol", "{p}: ping", "{p}: pong", "the {t} job took {n} minutes again",
    "works here on {h}",
    "what does the {t} exporter listen on?", "{n}xx i think", "brb", "back", "did you read the {t} docs?",
    "which version?", "the one in testing",
    "{p}: paste?", "https://paste.lab.example/{n}", "hm, odd", "i see the same on {h}, only slower",
    "maybe the {t} cache", "try without the {t} plugin",
    "no change", "ok that was my own typo, sorry for the noise", "{p}: thanks!", "np",
    "we should write this down somewhere",
    "is the {t} api rate limited?", "yes, {n} per minute", "{h} looks fine to me",
    "restarting {h} at {c}, as announced", "done, {n} s downtime",
    "the {t} tests are green again", "who owns the {t} bucket?", "{p} i believe", "lunch",
    "fwiw the {t} parser accepts both", "+1", "makes sense",
    "could be dns", "it is never dns", "see topic", "the {t} wiki page has it", "not since the move",
    "patch welcome :)",
)


CHANNEL_ODD = (
    "my train is stuck behind a cow again", "{p}: your talk was great, where are the slides?",
    "the vending machine now takes coins from {n} countries",
    "who renamed the printer to gandalf?", "new keyboard, please excuse the letters",
    "reading a paper about octopuses, highly recommended",
    "fun fact: {h} has been up for {n} months",
)


@case("cat ~/irclogs/labnet/#lis-ops.log")
def irc_channel(r):
    clock, nicks = Clock(r, 60), [p.lower() + r.choice(["", "_", "|away", "42"]) for p in r.sample(PEOPLE, 11)]
    t, n, flag = r.choice(THINGS), r.randint(31, 98), f"lis.{ident(r)}"
    specials = r.sample([
        (f"do NOT run {t}-compact before thursday, it deletes everything newer than the last backup",
        f"do NOT run {t}-compact"),
        (f"got it: {r.choice(HOSTS)} and its standby both think they are primary since {n} minutes",
        "both think they are primary"),
        (f"so we agreed: port {n * 91} gets closed on friday, whoever still uses it has to move to the gateway",
        f"port {n * 91} gets closed on friday"),
        (f"bisected it, the regression is {hexes(r, 9)}, reverting that makes the {t} queue drain",
        "reverting that makes the"),
        (f"workaround that really helps: set {flag}=off and reload", f"set {flag}=off"),
        (f"the private key of the {t} vpn is in the public repo, i am revoking it now",
        f"private key of the {t} vpn is in the public repo"),
    ], 4)

    def line(text=None):
        k = 1 if text else r.random()
        stamp, nick = clock.text("%H:%M"), r.choice(nicks)
        if k < 0.08:
            return f"{stamp} -!- {nick} [~{nick[:5]}@{r.randint(11, 99)}.net.example] has joined #lis-ops"
        if k < 0.15:
            why = r.choice(["Ping timeout", "Quit: zzz", "Remote host closed"])
            return f"{stamp} -!- {nick} [~{nick[:5]}@{r.randint(11, 99)}.net.example] has quit [{why}]"
        if k < 0.18:
            acts = ["waves", "looks at {h}", "gets more tea", "reboots the {t} box", "hides"]
            return f"{stamp}  * {nick} {say(r, acts, CHANNEL)}"
        if k < 0.2:
            return f"{stamp} -!- mode/#lis-ops [+o {nick}] by ChanServ"
        return f"{stamp} < {nick}> {text or say(r, CHANNEL_TALK, CHANNEL)}"

    head = [f"--- Log opened {clock().strftime('%a %b %d %H:%M:%S %Y')}",
        f"{clock.text('%H:%M')} -!- Topic for #lis-ops: be kind | docs: wiki/lis"]
    return head + entries(r, 11, line, [lambda s=s: line(s) for s, _ in specials + harmless(r, CHANNEL_ODD,
        CHANNEL)]), [x for _, x in specials]


MAIL_TALK = (
    "I have been using {t}-tools on {h} for about {n} weeks and I am quite happy with it.",
    "Could you tell us which {t} you have, and the firmware?",
    "The {t} driver prints a line about the {t}, which can be ignored.",
    "My configuration is attached, I removed the names.",
    "We run {n} of them, all bought at the same time.", "There is a section on this in the handbook, page {n}.",
    "I do not have this {t} here, so I can only guess.",
    "As far as I remember {p} wrote a script for that.", "It is not documented, but it has worked like this since "
    "version {n}.",
    "I would suggest to compare the {t} with the one from the old image.", "Is there a way to print the {t} twice?",
    "Yes, with the option in the menu.",
    "The {t} is optional there, an empty line is fine.", "For what it is worth, our {t} counts {n} per hour.",
    "Please reply to the list, not to me.",
    "That is a good idea, but it would break the {t} of the others.",
    "I opened a ticket so that it is not forgotten.", "The next meeting is at {c} as usual.",
    "Thanks to {p} for the quick answer.", "This mail was sent by the {t} robot on {h}.",
    "I tried both, the second is faster by {n} percent.",
)
MAIL_ODD = (
    "The picture of the bench was taken in 1974, by the way, and the dog belonged to the porter.",
    "I will be on a boat for two weeks and cannot answer.",
    "Somebody asked for the song from the meeting: it was a Finnish tango.",
    "My cat walked over the keyboard, please ignore the attachment.",
    "The room for the next meeting has a piano.",
)
MAIL_TITLES = ("{t} and {t} on the same bus", "How to label a {t}?", "Question about the {t} driver",
    "{t} counts twice", "Minutes of the {t} group",
    "[ANN] {t}-tools {n}", "Printing without a {t}", "Slow {t} on {h}", "{t} file format", "Old {t}, new cable")


@case("formail -s cat < lab-devel-digest.mbox")
def mailman_digest(r):
    clock, number = Clock(r, 30000), iter(range(1, 200))
    t, u, n = *r.sample(THINGS, 2), r.randint(3, 9)
    specials = r.sample([
        (f"From {t}-tools {n}.0 on, the old binary format can no longer be read. Convert your archives before you "
        f"upgrade.",
            "the old binary format can no longer be read"),
        (f"Anybody on the network can read patient data through the {t} port of {u}-gateway before {n}.4.2. Please "
        f"update today.",
            f"{u}-gateway before {n}.4.2"),
        (f"I am stepping down as maintainer of {t}-tools at the end of the year; without a successor it will be "
        f"archived.",
            f"stepping down as maintainer of {t}-tools"),
        (f"We have voted {n + 9} to {n}: the project moves to the AGPL with the next release.", "moves to the AGPL"),
        (f"The checksum of {t}-tools-{n}.1.tar.gz on the mirror is wrong, somebody replaced the file. Do not "
        f"install it.", "somebody replaced the file"),
    ], 3)

    def message(text=None):
        p, q = r.sample(PEOPLE, 2)
        body = [paragraph(r, MAIL_TALK, dict(t=THINGS), 1, 5) for _ in range(r.randint(1, 3))]
        if r.random() < 0.5:
            quoted = paragraph(r, MAIL_TALK, dict(t=THINGS), 1, 2)
            body.insert(0, f"On {clock.text('%d %b %Y')}, {q} wrote:\n"
                + "\n".join("> " + x for x in re.findall(r".{1,68}(?: |$)", quoted)))
        if text:
            body.insert(r.randint(0, len(body)), text)
        reply = "Re: " * (r.random() < 0.5 and not text)
        return "\n".join(["------------------------------", "", f"Message: {next(number)}",
            f"Date: {clock.text('%a, %d %b %Y %H:%M:%S +0100')}", f"From: {p} <{p.lower()}@list.example>",
            "To: lab-devel@lists.example",
            f"Subject: {reply}{say(r, MAIL_TITLES, dict(t=THINGS))}", f"Message-ID: <{hexes(r, 14)}@list.example>",
            "Content-Type: text/plain; charset=utf-8", "", "\n\n".join(body), "",
            r.choice(["Regards,", "Best,", "--"]), p, ""])

    head = ["Send lab-devel mailing list submissions to", "\tlab-devel@lists.example", "",
        "When replying, please edit your Subject line.", ""]
    return head + entries(r, 10, message, [lambda s=s: message(s) for s, _ in specials + harmless(r, MAIL_ODD,
        dict(t=THINGS))]), [x for _, x in specials]


STEPS = (
    "Take the {t} from rack~{n} and check its label.", "Let the {t} rest for {n}~minutes at room temperature.",
    "Note the number of the {t} in the journal.",
    "Turn the {t} upside down {n}~times; do not shake it.", "Set the {t} to \\SI{{{n}}}{{\\micro\\litre}}.",
    "Rinse the {t} with the buffer of Section~\\ref{{sec:{t}}}.",
    "Close the lid of the {t} until it clicks.", "Compare the reading with Table~\\ref{{tab:{t}}}.",
    "Replace the tip after each {t}.",
    "Sign with your initials and the time.", "Put the {t} back; the next shift takes it from there.",
    "Wait for the green light of the {t}.",
    "If the {t} is missing, ask the person on duty (phone {n}).",
    "Print two labels, one for the {t} and one for the journal.",
)
PROSE = (
    "This section is about the {t} and its daily use.", "The {t} was introduced to replace the older {t}.",
    "It is enough to do this once per shift.",
    "The values are those of the manufacturer \\cite{{{t}}}.", "A {t} of the second kind is handled in the same way.",
    "People who are new should do this together with {p}.",
    "The time on the display is local time.", "See also the drawing in Figure~\\ref{{fig:{t}}}.",
    "Deviations are rare and have a form of their own (form~{n}).",
    "The {t} holds {n} places, numbered from the left.", "Earlier versions of this text called it the {t} station.",
)


@case("cat qm/sop-042-potassium.tex")
def latex_procedure(r):
    n, lot = r.randint(12, 48), r.randint(100, 900)
    pools = dict(t=THINGS)

    def tex(templates):
        return say(r, templates, pools).replace("{{", "{").replace("}}", "}")

    specials = r.sample([
        (f"\\textbf{{Never}} release a result when both controls are outside $\\pm {n / 10}\\,s$, not even on request "
        f"of the ward.",
            f"outside $\\pm {n / 10}\\,s$"),
        (f"% {r.choice(PEOPLE)}: the limit of {n} here contradicts the law, which says {n - 7}. Ask before printing!",
        "contradicts the law"),
        (f"The reagent of lot {lot} gives values that are 12\\,\\% too high; correct all results since March.",
        f"lot {lot} gives values that are 12\\,\\% too high"),
        (f"\\begin{{danger}} The waste of this step contains azide: copper pipes may explode. \\end{{danger}}",
        "contains azide"),
        (f"Changed in revision~{n}: samples older than \\SI{{4}}{{\\hour}} (formerly 8) must be rejected.",
        ["\\SI{4}{\\hour}", "must be rejected"]),
    ], 3)

    def section(special=None):
        title = r.choice(THINGS)
        heading = tex(["Handling the {t}", "Daily {t} check", "The {t}", "After the {t}"])
        out = [f"\\section{{{heading}}}\\label{{sec:{title}}}", ""]
        for _ in range(r.randint(1, 3)):
            out += [" ".join(tex(PROSE) for _ in range(r.randint(2, 5))), ""]
        if special:
            out += [special, ""]
        k = r.random()
        if k < 0.6:
            out += ["\\begin{enumerate}", *(f"  \\item {tex(STEPS)}" for _ in range(r.randint(4, 10))),
                "\\end{enumerate}", ""]
        elif k < 0.8:
            rows = [f"  {t} & {r.randint(1, 9)}.{r.randint(0, 9)} & {r.randint(10, 99)} \\\\"
                for t in r.sample(THINGS, r.randint(3, 9))]
            out += ["\\begin{table}[h]", "  \\centering", "  \\begin{tabular}{lrr}", "  \\toprule",
                "  thing & low & high \\\\", "  \\midrule", *rows,
                "  \\bottomrule", "  \\end{tabular}", f"  \\caption{{{tex(PROSE)}}}\\label{{tab:{title}}}",
                "\\end{table}", ""]
        if r.random() < 0.25:
            asides = ["old text, for the auditors", "wording agreed with {p}", "figure to be redrawn", "shorter now"]
            out += [f"% {tex(asides)}", ""]
        return "\n".join(out)

    head = ["\\documentclass[11pt]{article}", "\\usepackage{siunitx,booktabs}", "\\usepackage{labsop}",
        f"\\sopnumber{{042}}\\revision{{{n}}}",
        "\\title{Potassium in plasma}", f"\\author{{{r.choice(PEOPLE)} \\and {r.choice(PEOPLE)}}}",
        "\\begin{document}", "\\maketitle", ""]
    text = entries(r, 9, section, [lambda s=s: section(s) for s, _ in specials + harmless(r, TEX_ODD, pools)])
    return [*head, *text, "\\end{document}"], [x for _, x in specials]


TEX_ODD = (
    "The name of the room comes from a ship that was built on this site.", "% coffee stain on the paper copy, page 4",
    "Readers who like history may look at the appendix, which has an old photograph.",
    "The drawing was made by a trainee in 1987.",
)
EXCHANGES = (
    ("And where was the {t} at that time?", "On the bench, next to the {t}.", "In the cold room, I believe.",
    "I would have to look at the journal."),
    ("Did you see who took the {t}?", "No.", "{p}, I think, but my back was turned.", "Not that I saw."),
    ("Is that your signature on page {n}?", "Yes.", "It is.", "It looks like it, the copy is a bit dark."),
    ("How long had you worked there?", "{n} months.", "Since the new building was opened.",
    "About {n} weeks, not counting the summer."),
    ("Could you explain to the panel what a {t} is for?", "It's for keeping the {t} at an even temperature.",
    "You put the {t} in, and it counts them."),
    ("Was {p} in the room?", "At the beginning, and then {p} left for the ward.", "No, on the phone.",
    "I don't recall."),
    ("What happened after that?", "The courier came, around {c}.", "Nothing. We carried on with the {t}.",
    "I went home, my shift was over."),
    ("Is it usual to move the {t} by hand?", "We always did it that way, since before my time.", "On weekends, yes.",
    "It's quicker."),
    ("You said earlier it was about {c}. Is that right?", "About that, yes.", "Give or take {n} minutes.",
    "That's what the journal says."),
    ("Who else has the key?", "There is a list on the door.", "{p} and {p}.", "Everybody on the floor."),
    ("Do you keep a record of that?", "In the green book.", "On paper, and later in the computer.",
    "That would be {p}'s job, on weekdays."),
    ("What did the display show?", "The number of the {t}, nothing else.", "It was green.", "I think {n}, as usual."),
    ("Had you been trained on it?", "I had the half-day course and then {n} weeks with {p}.", "Yes, in spring.",
    "{p} showed me."),
    ("And the {t} in the picture, is it the same one?", "I think so.", "Same type, at least.",
    "Yes, you can see the label."),
    ("How many requests did you have that night?", "{n} or so, a normal shift.", "I don't recall.",
    "The list says {n}."),
    ("Did you like working there?", "Mostly. The canteen is good.", "Yes, very much."),
    ("Had the {t} been serviced?", "In spring, by the vendor.", "I believe so.",
    "There's a sticker on it with the date."),
)


@case("pdftotext -layout hearing-day3.pdf - | sed -n '1,1400p'")
def hearing_transcript(r):
    n = r.randint(11, 58)
    specials = r.sample([
        (f"I switched the alarm off, because it rang all night. That was at ten past "
        f"{r.choice(['two', 'three', 'four'])}.", "I switched the alarm off"),
        (f"I signed for {r.choice(PEOPLE)} as well, with the other badge. {r.choice(PEOPLE)} had told us to.",
        "with the other badge"),
        (f"The entry of {n} degrees was written later, I copied it from the day before.",
        "I copied it from the day before"),
        (f"We knew since January that the {r.choice(THINGS)} was broken. There is a mail about it.",
        "We knew since January"),
        (f"No. The one in the report is not the one I was given; mine had number {n * 113}.",
        f"mine had number {n * 113}"),
    ], 3)
    pools, out, line, page = dict(t=THINGS), [], 0, r.randint(201, 260)

    def exchange(special=None):
        question, *answers = r.choice(EXCHANGES)
        if special:
            question = r.choice(["What happened after that?", "What did you do then?",
                "Could you tell the panel more about that?"])
        k = r.random()
        lines = ["Q.   " + say(r, question, pools), "A.   " + (special or say(r, answers, pools))]
        if k < 0.08 and not special:
            lines.insert(1, r.choice(["MR. OLSEN:  Objection, leading.", "MS. HART:  I'll rephrase.",
                "THE CHAIR:  You may answer.", "THE CHAIR:  Let the witness finish."]))
        return "\n".join(lines)

    def wrapped(text):
        parts, rest = [], text
        while len(rest) > 58:
            at = rest.rfind(" ", 0, 58)
            parts, rest = [*parts, rest[:at]], rest[at + 1 :]
        return [*parts, rest]

    for text in entries(r, 7, exchange, [lambda s=s: exchange(s) for s, _ in specials]):
        for piece in [y for x in text.split("\n") for y in wrapped(x)]:
            if line % 25 == 0:
                out += ["", f"{' ' * 60}{page}", ""]
                page += 1
            line += 1
            indent = " " * 8 if piece.startswith(("Q.", "A.", "M", "THE")) else " " * 3
            out.append(f"{(line - 1) % 25 + 1:3}{indent}{piece}")
    # Only a piece that stands in one line is looked for: line numbers lie between the others.
    text = "\n".join(out)
    return text, [x if x in text else [w for w in halves(x, text)] for _, x in specials]


def halves(phrase, text):
    """`phrase` in the two pieces that a line break has made of it."""
    words = phrase.split()
    for k in range(len(words) - 1, 0, -1):
        a, b = " ".join(words[:k]), " ".join(words[k:])
        if re.search(re.escape(a) + r"\n(?:\s*\d+\n\n)?\s*\d+\s+" + re.escape(b), text) or (a in text and b in text):
            return [a, b]
    return words


WIKI = (
    "The {t} is described on the page of the {t} team.", "Ask {p} for access to {h}.",
    "The numbers below are those of last quarter.",
    "We keep one spare {t} per floor.", "See the <ac:link><ri:page ri:content-title=\"{t} basics\"/></ac:link> page "
    "for the first steps.",
    "This used to be part of the <em>{t}</em> handbook.", "The job runs at {c} and takes about {n} minutes.",
    "Please do not edit the table by hand.",
    "Each {t} has an owner, mostly the one who ordered it.", "There are <strong>{n}</strong> of them in the "
    "basement.", "The name is historical.",
    "If in doubt, <a href=\"https://wiki.lab.example/x/{t}\">read this</a> first.",
    "Thanks to {p}, who wrote most of this.",
)


WIKI_ODD = (
    "<p>The stain on the ceiling is from the flood of 1998 and quite dry.</p>",
    "<p>(Yes, the cupboard is really called Bertha.)</p>",
    "<p><em>Photo: the bench crew at the summer party, from left to right.</em></p>",
    "<p>Pizza orders go to extension 88 before eleven.</p>",
)


@case("curl -s -u $TOKEN 'https://wiki.lab.example/rest/api/content/88231?expand=body.storage' | jq -r "
    ".body.storage.value")
def confluence_storage(r):
    pools, n = dict(t=THINGS), r.randint(12, 97)
    bad, host = r.choice(THINGS), r.choice(HOSTS)
    tasks = iter(range(1, 400))

    def macro(name, body, **parameters):
        inside = "".join(f"<ac:parameter ac:name=\"{k}\">{v}</ac:parameter>" for k, v in parameters.items())
        rich = f"<ac:rich-text-body><p>{body}</p></ac:rich-text-body>" if body else ""
        head = f'<ac:structured-macro ac:name="{name}" ac:schema-version="1" ac:macro-id="{hexes(r, 8)}">'
        return f"{head}{inside}{rich}</ac:structured-macro>"

    def status(title, colour):
        return macro("status", "", title=title, colour=colour)

    def task(text, done=True):
        state = "complete" if done else "incomplete"
        return (f"<ac:task><ac:task-id>{next(tasks)}</ac:task-id><ac:task-status>{state}</ac:task-status>"
            + f"<ac:task-body>{text}</ac:task-body></ac:task>")

    def block():
        k = r.randint(0, 9)
        if k < 5:
            return "<p>" + paragraph(r, WIKI, pools, 2, 5) + "</p>"
        if k == 5:
            return f"<h2>{say(r, ['The {t}', '{t} on {h}', 'How we use the {t}', 'Contacts'], pools)}</h2>"
        if k == 6:
            return macro("info", paragraph(r, WIKI, pools, 1, 2))
        if k == 7:
            rows = "\n".join(f"<tr><td>{t}</td><td>{r.choice(HOSTS)}</td><td>{status('OK', 'Green')}</td></tr>"
                for t in r.sample(THINGS, r.randint(2, 5)))
            return f"<table><tbody><tr><th>Thing</th><th>Host</th><th>State</th></tr>\n{rows}\n</tbody></table>"
        if k == 8:
            todo = ["Order a new {t}", "Tell {p} about the {t}", "Update the {t} list", "Clean {h}"]
            return "\n".join(["<ac:task-list>", *(task(say(r, todo, pools)) for _ in range(r.randint(1, 3))),
                "</ac:task-list>"])
        lines = "\n".join(f"ssh {r.choice(HOSTS)} systemctl {r.choice(['status', 'restart'])} {ident(r, '-')}"
            for _ in range(r.randint(1, 4)))
        return ("<ac:structured-macro ac:name=\"code\" ac:schema-version=\"1\"><ac:parameter "
            "ac:name=\"language\">bash</ac:parameter>"
            + f"<ac:plain-text-body><![CDATA[{lines}]]></ac:plain-text-body></ac:structured-macro>")

    specials = r.sample([
        (macro("warning", f"Restarting {host} during the day cancels all running {bad} jobs and loses their "
        f"results."), f"cancels all running {bad} jobs"),
        (f"<table><tbody><tr><td>{bad}-primary</td><td>{host}</td><td>{status('NO BACKUP SINCE MAY', 'Red')}</td>"
            "</tr>\n</tbody></table>",
            [f"{bad}-primary", "NO BACKUP SINCE MAY"]),
        ("<ac:task-list>\n" + task(f"Renew the signing certificate of {host}, it ends on the {n % 27 + 1}th",
        False) + "\n</ac:task-list>",
            f"Renew the signing certificate of {host}"),
        (f"<p><strong>Decision ({r.choice(PEOPLE)}, {n % 27 + 1} May):</strong> we give up the {bad} cluster and move "
        f"to the hosted one.</p>",
            f"give up the {bad} cluster"),
    ], 3)
    return fill(r, 10, block, [s for s, _ in specials + harmless(r, WIKI_ODD, pools)]), [x for _, x in specials]


RST_TEXT = (
    "Sets how often the {t} is asked for its state.", "Only used together with a {t} of the second kind.",
    "A larger value makes the {t} slower but spares {h}.",
    "The value is read once, at the start.", "An empty value means that the {t} decides.",
    "See :ref:`{t}-basics` for the reasons behind it.",
    "It has no effect when :confval:`{t}.enabled` is off.", "Relative paths start at the directory of the {t} file.",
    "Most laboratories leave it alone.",
    "Numbers above {n} are accepted, though hardly useful.", "The unit is that of the {t}.",
    "May be given several times.",
)


@case("cat docs/reference/settings.rst")
def interest_rst_settings(r):
    names = iter(f"{a}.{b}" for a, b in zip((r.choice(THINGS) for _ in range(400)), idents(r, 400)))
    defaults = iter(distinct(r, 400, 10100, 98900))
    asked, pools = {}, dict(t=THINGS)

    def setting():
        name, k = next(names), r.random()
        value = str(next(defaults)) if k < 0.6 else r.choice(["true", "false", '""', "auto", "utf-8", "/var/lib/lis"])
        if k < 0.6:
            asked[name] = value
        out = [f".. confval:: {name}", f"   :type: "
            f"{'integer' if k < 0.6 else r.choice(['string', 'boolean', 'path'])}", f"   :default: ``{value}``", ""]
        out += [f"   {paragraph(r, RST_TEXT, pools, 1, 4)}", ""]
        if r.random() < 0.2:
            out += [f"   .. version{r.choice(['added', 'changed'])}:: {r.randint(1, 4)}.{r.randint(0, 9)}", ""]
        if r.random() < 0.15:
            out += ["   .. note::", "", f"      {say(r, RST_TEXT, pools)}", ""]
        if r.random() < 0.2:
            out += ["   .. code-block:: ini", "", f"      [{name.split('.')[0]}]",
                f"      {name.split('.')[1]} = {r.choice(['auto', r.randint(2, 900)])}", ""]
        return "\n".join(out)

    head = ["=================", "Setting reference", "=================", "", ".. contents::", "   :local:", ""]
    text = entries(r, 11, setting)
    name = list(asked)[r.randint(len(asked) // 5, len(asked) * 4 // 5)]
    return head + text, [asked[name]], dict(last=f"Just one thing: what is the default of {name} according to "
        f"that page?")

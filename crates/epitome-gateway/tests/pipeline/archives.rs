//! Sessions that only a new beginning makes fit (M17): archived under their name, and continued by another.

use epitome_core::summary::archived::ARCHIVED;
use epitome_gateway::exchange::End;
use epitome_gateway::pages::put_wish;
use epitome_gateway::story::Story;
use epitome_store::records::{TurnUsage, Wish};
use epitome_store::store::{Originals, Query, SessionStore};

use super::*;

/// About so many tokens.
fn words(name: &str, tokens: usize) -> String {
    (0..tokens / 6).map(|number| format!("{name} word {number:05} of many. ")).collect()
}

fn archiving_gateway(store: Arc<dyn Store>) -> Gateway {
    gateway_with(store, |setup| setup.policy.protect_first_n = 10)
}

/// A session with a long head, which was compacted once already.
async fn compacted_session(gateway: &Gateway, dialect: Dialect) -> Session {
    let mut session = Session::new(dialect);
    session.next_input();
    for number in 0..4 {
        session.conclude(&words(&format!("answer-{number}"), 1_100));
        session.ask(&words(&format!("question-{number}"), 1_100));
    }
    loop {
        let outgoing = call(gateway, &session).await;
        session.answer();
        if header(&outgoing, "x-epitome-action") == Some("compacted") {
            return session;
        }
        session.next_input();
    }
}

/// The same, and what comes next leaves no room but for a new beginning.
async fn session_to_archive(gateway: &Gateway, dialect: Dialect) -> Session {
    let mut session = compacted_session(gateway, dialect).await;
    session.next_input();
    session.conclude("The logs are read. Next I will compare them.");
    session.ask(&words("pasted", 10_000));
    session
}

/// A call that is answered.
async fn call(gateway: &Gateway, session: &Session) -> Outgoing {
    let outgoing = gateway.outgoing(incoming(session.dialect, session.body())).await;
    assert_eq!(refusal(session.dialect, &outgoing.body), None);
    let prompt = header(&outgoing, "x-epitome-tokens-after").and_then(|tokens| tokens.parse().ok()).expect("a size");
    let usage = TurnUsage { prompt, cache_read: prompt / 2, output: 7, ..TurnUsage::default() };
    outgoing.turn.ended(End::Complete, Some(usage));
    outgoing
}

fn session_of(outgoing: &Outgoing) -> SessionId {
    SessionId::new(header(outgoing, "x-epitome-session").expect("a session"))
}

fn begins_with_summary(messages: &[Value]) -> usize {
    let opening = "[CONTEXT COMPACTION] Earlier turns were compacted";
    messages.iter().filter(|message| message["content"].to_string().contains(opening)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nothing_else_makes_fit_is_archived_and_goes_on_as_a_new_one() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let gateway = archiving_gateway(store.clone());
        let mut session = session_to_archive(&gateway, dialect).await;
        let archiving = call(&gateway, &session).await;
        assert_eq!(header(&archiving, "x-epitome-action"), Some("compacted"), "{dialect}");
        let continued = session_of(&archiving);
        let archived = continued.of_client();
        assert_eq!(continued.as_str(), format!("{archived}~2"), "{dialect}");
        let mut before = messages_of(&archiving.body);
        assert_eq!(begins_with_summary(&before), 1);

        // What follows goes on from it, through whichever gateway.
        let other = archiving_gateway(store.clone());
        for gateway in [&gateway, &other, &gateway] {
            session.conclude("They differ in the batch size.");
            session.ask("Go on.");
            let next = call(gateway, &session).await;
            assert_eq!((header(&next, "x-epitome-action"), session_of(&next)), (Some("replayed"), continued.clone()));
            let messages = messages_of(&next.body);
            assert_eq!(messages[..before.len()], before[..], "{dialect}: the prefix moved");
            before = messages;
        }
        gateway.close().await;
        other.close().await;

        // Each has its own calls and compactions, and both are known by the other.
        let known = async |id: &SessionId| store.session(&Tenant::only(), id).await.unwrap().expect("it is stored");
        let (old, new) = (known(&archived).await, known(&continued).await);
        assert_eq!((old.continued_by, new.continues), (vec![continued.clone()], Some(archived.clone())));
        assert_eq!((old.compactions, new.compactions, new.turns), (1, 1, 4));
        for id in [&archived, &continued] {
            let story = Story::of(&*store, &Tenant::only(), id).await.unwrap().expect("a story");
            let [archive] = &story.archives[..] else { panic!("{:?}", story.archives) };
            assert_eq!((&archive.archived, &archive.continued_by), (&archived, &continued));
            assert!(archive.notice.starts_with(ARCHIVED), "{}", archive.notice);
            assert!(archive.notice.contains("nightly import drops records"), "the task: {}", archive.notice);
        }
        // What the archived one removed is found there, and what the new beginning removed in the new one.
        for (text, holder) in [("key-0-main", &archived), ("answer-3 word 00100", &continued)] {
            let found = store.search(&Tenant::only(), &Query::Literal(text.to_owned()), 9).await.unwrap();
            assert!(found.iter().any(|found| found.session == *holder), "{dialect}: {text} in {found:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_round_updates_the_summary_and_belongs_to_the_new_session() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let gateway = archiving_gateway(store.clone());
        let mut session = session_to_archive(&gateway, dialect).await;
        let continued = session_of(&call(&gateway, &session).await);
        session.conclude("They differ in the batch size.");
        session.ask("Then find out why.");
        let mut compactions = 0;
        for _ in 0..40 {
            let next = call(&gateway, &session).await;
            assert_eq!(session_of(&next), continued);
            assert_eq!(begins_with_summary(&messages_of(&next.body)), 1, "{dialect}");
            compactions += usize::from(header(&next, "x-epitome-action") == Some("compacted"));
            session.answer();
            session.next_input();
        }
        assert!(compactions >= 2, "{dialect}: {compactions}");
        let stored = store.compactions(&Tenant::only(), &continued).await.unwrap();
        assert_eq!(stored.len(), compactions + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_back_behind_the_new_beginning_is_in_the_archived_session_again() {
    let store = Arc::new(MemoryStore::new());
    let gateway = archiving_gateway(store.clone());
    let session = session_to_archive(&gateway, Dialect::AnthropicMessages).await;
    let continued = session_of(&call(&gateway, &session).await);
    let mut rewound = session.clone();
    rewound.history.truncate(session.history.len() - 2);
    rewound.conclude("The logs are read.");
    rewound.ask("Then stop here.");
    let back = call(&gateway, &rewound).await;
    assert_eq!(session_of(&back), continued.of_client());
    // And in the new one when it takes that back.
    assert_eq!(session_of(&call(&gateway, &session).await), continued);
    // Archived once more from there, it is a third session.
    rewound.conclude("I stop.");
    rewound.ask(&words("posted", 10_000));
    let again = session_of(&call(&gateway, &rewound).await);
    assert_eq!((again.of_client(), again.number()), (continued.of_client(), 3));
    let archived = store.session(&Tenant::only(), &continued.of_client()).await.unwrap().expect("it is stored");
    assert_eq!(archived.continued_by, [continued, again]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_archive_a_session_once() {
    let store = Arc::new(MemoryStore::new());
    let gateways = [archiving_gateway(store.clone()), archiving_gateway(store.clone())];
    let session = session_to_archive(&gateways[0], Dialect::OpenAiChat).await;
    let [one, other] = gateways.each_ref().map(|gateway| {
        let (gateway, session) = (gateway.clone(), session.clone());
        tokio::spawn(async move { call(&gateway, &session).await })
    });
    let (one, other) = (one.await.unwrap(), other.await.unwrap());
    assert_eq!((one.body.clone(), session_of(&one)), (other.body.clone(), session_of(&other)));
    assert_eq!(session_of(&one).number(), 2);
    assert_eq!(store.sessions(&Tenant::only(), 9).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_that_is_asked_for_by_the_old_name_is_made_in_the_new_session() {
    let store = Arc::new(MemoryStore::new());
    let gateway = archiving_gateway(store.clone());
    let mut session = session_to_archive(&gateway, Dialect::OpenAiChat).await;
    let continued = session_of(&call(&gateway, &session).await);
    session.answer();
    session.next_input();
    call(&gateway, &session).await;
    gateway.close().await;
    let wish = Wish { at_ms: 7, focus: None };
    let asked = put_wish(&*store, &Tenant::only(), &continued.of_client(), &wish).await.unwrap();
    assert_eq!(asked.as_ref(), Some(&continued));
    session.answer();
    session.next_input();
    let next = call(&archiving_gateway(store.clone()), &session).await;
    assert_eq!((header(&next, "x-epitome-action"), session_of(&next)), (Some("compacted"), continued.clone()));
    let logs = store.logs(&Tenant::only(), Some(&continued)).await.unwrap();
    assert_eq!(logs.last().map(|log| log.reason.as_str()), Some("asked for"));
}

#[tokio::test]
async fn the_log_says_when_a_compaction_starts_and_ends_what_each_call_used_and_nothing_that_was_said() {
    let written = tempfile::NamedTempFile::new().expect("a temporary file");
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::INFO)
        .with_writer(Arc::new(written.reopen().expect("it is there")))
        .finish();
    // Everything runs on this thread.
    let _guard = tracing::subscriber::set_default(subscriber);
    let gateway = archiving_gateway(Arc::new(MemoryStore::new()));
    let session = session_to_archive(&gateway, Dialect::OpenAiChat).await;
    let outgoing = call(&gateway, &session).await;
    let log = std::fs::read_to_string(written.path()).expect("text");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |target: &str| {
        let lines = lines.iter().filter(|line| line["target"] == target);
        lines.map(|line| line["fields"].clone()).collect::<Vec<Value>>()
    };
    let (archived, continued) = (session_of(&outgoing).of_client(), session_of(&outgoing));

    let compactions = of("epitome::compaction");
    let messages: Vec<&str> = compactions.iter().filter_map(|fields| fields["message"].as_str()).collect();
    assert_eq!(messages, ["compaction starts", "compaction ended"].repeat(messages.len() / 2));
    let [.., starts, ended] = &compactions[..] else { panic!("{compactions:#?}") };
    assert_eq!((&starts["session"], &starts["window"]), (&archived.as_str().into(), &WINDOW.into()));
    let tokens = starts["tokens"].as_u64().expect("tokens");
    assert_eq!(starts["usage_percent"], (1_000.0 * tokens as f64 / WINDOW as f64).round() / 10.0);
    let (before, after) = (ended["before"].as_u64().expect("tokens"), ended["after"].as_u64().expect("tokens"));
    assert!(before == tokens && after < before, "{before} → {after}");
    let ratio = 1.0 - after as f64 / before as f64;
    assert_eq!(ended["ratio_percent"], (1_000.0 * ratio).round() / 10.0);
    assert!(ended["messages_compressed"].as_u64() > Some(8), "{ended}");

    let calls = of("epitome::call");
    let last = calls.last().expect("a call");
    let prompt: u64 = header(&outgoing, "x-epitome-tokens-after").expect("a size").parse().expect("a number");
    assert_eq!(last["session"], continued.as_str());
    assert_eq!((&last["input"], &last["cache_read"]), (&(prompt - prompt / 2).into(), &(prompt / 2).into()));
    assert_eq!((&last["output"], &last["action"]), (&7.into(), &"compacted".into()));

    let archives = lines.iter().map(|line| &line["fields"]);
    let archives: Vec<&Value> = archives
        .filter(|fields| fields["message"].as_str().is_some_and(|message| message.starts_with(ARCHIVED)))
        .collect();
    let [archive] = archives[..] else { panic!("{archives:#?}") };
    assert_eq!(archive["session"], archived.as_str());
    assert_eq!(archive["continued_by"], continued.as_str());
    let words = archive["message"].as_str().and_then(|message| message.strip_prefix(ARCHIVED));
    let words = words.and_then(|words| words.strip_suffix(" words")).and_then(|words| words.parse::<usize>().ok());
    assert!(words.is_some_and(|words| (10..=300).contains(&words)), "{archive}");
    for said in ["nightly", "question-", "pasted", "key-0", "compare them", "grep -n"] {
        assert!(!log.contains(said), "{said}");
    }
}

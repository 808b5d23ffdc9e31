//! What is prepared before it is due.

use std::sync::Arc;
use std::time::Duration;

use epitome_gateway::pipeline::Setup;
use epitome_wire::Dialect;
use tokio::sync::Semaphore;

use crate::fault_server::{Act, Server};
use crate::session::Session;
use crate::world::{World, check_prefixes, model_at, provider, summary};

const DIALECT: Dialect = Dialect::OpenAiChat;

/// A model that says one thing after the other, each when it is allowed to.
async fn held(permits: &Arc<Semaphore>, told: &[&str]) -> Server {
    let says = |told: &&str| Act::WhenAllowed(permits.clone(), Box::new(Act::Says(summary(told))));
    Server::start(told.iter().map(says).collect()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_that_was_prepared_is_not_waited_for() {
    let permits = Arc::new(Semaphore::new(0));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["the worker restarts"]).await);
    let world = World::start(&provider, model_at(&model), |_| {}).await;
    let mut session = Session::new(DIALECT);
    world.until_asked(&mut session, &model, 1).await;
    // The agent goes on while the model writes.
    world.turn(&mut session).await;
    permits.add_permits(1);
    world.until_prepared(&session).await;
    let compacted = world.until_compacted(&mut session).await;
    let sent = provider.asked().pop().expect("a request").body.to_string();
    assert!(sent.contains("the worker restarts"), "{sent}");
    let logs = world.logs(&compacted).await;
    assert_eq!((logs.len(), logs[0].author.as_deref(), &logs[0].stood_in), (1, Some("scripted"), &None));
    // Half of what it may wait.
    assert!(logs[0].wait_ms < 30_000, "it waited for {} ms, until its patience ran out", logs[0].wait_ms);
    assert!(logs[0].record.after < logs[0].record.before);
    assert!(world.metric("epitome_summaries_total{outcome=\"prepared\"} 1"));
    assert_eq!(world.turn(&mut session).await.action(), "replayed");
    assert_eq!(model.asked().len(), 1, "the model was asked once");
    check_prefixes(DIALECT, &provider.asked());
    // What went can be found again, though it was taken out long before.
    assert!(world.removed(&compacted).await.iter().any(|words| words.contains("key-0-main")));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_prepare_once() {
    let permits = Arc::new(Semaphore::new(0));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["the worker restarts", "another"]).await);
    let one = World::start(&provider, model_at(&model), |_| {}).await;
    let other = World::beside(one.store.clone(), &provider, model_at(&model), |_| {}).await;
    let mut session = Session::new(DIALECT);
    one.until_asked(&mut session, &model, 1).await;
    // The other one serves the next turns, and sees that somebody is at it.
    other.turn(&mut session).await;
    let (waiting, going_on) = (other.until_compacted(&mut session), model.until_asked(2));
    tokio::pin!(waiting, going_on);
    // It waits for what the first one prepares.
    let compacted = tokio::select! {
        compacted = &mut waiting => compacted,
        () = &mut going_on => panic!("the model was asked twice"),
        () = async { permits.add_permits(1); std::future::pending().await } => unreachable!(),
    };
    let logs = other.logs(&compacted).await;
    assert_eq!(logs[0].author.as_deref(), Some("scripted"));
    assert_eq!(model.asked().len(), 1);
    assert!(other.metric("epitome_summaries_total{outcome=\"prepared\"} 1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_that_get_a_request_at_the_same_time_pay_for_one_summary() {
    let permits = Arc::new(Semaphore::new(0));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["the worker restarts", "another"]).await);
    let one = World::start(&provider, model_at(&model), |setup| setup.prepare_at = None).await;
    let change = |setup: &mut Setup| setup.prepare_at = None;
    let other = World::beside(one.store.clone(), &provider, model_at(&model), change).await;
    let mut session = Session::new(DIALECT);
    // Until a request is so large that the model is asked, which does not answer yet.
    let (mut at_one, mut at_other) = loop {
        let before = session.clone();
        let asked = tokio::select! {
            _ = one.turn(&mut session) => false,
            () = model.until_asked(1) => true,
        };
        if asked {
            break (before.clone(), before);
        }
    };
    // The client of the first has gone away; two others come with the same request, to one gateway each.
    one.until_given_back(&session).await;
    let (first, second) = (one.turn(&mut at_one), other.turn(&mut at_other));
    let both = async { tokio::join!(first, second) };
    tokio::pin!(both);
    tokio::select! {
        _ = &mut both => panic!("the model has not answered"),
        () = model.until_asked(2) => {}
    }
    // Whoever was not first would ask now.
    let asks_again = tokio::time::timeout(Duration::from_millis(700), model.until_asked(3));
    tokio::select! {
        _ = &mut both => panic!("the model has not answered"),
        asked = asks_again => assert!(asked.is_err(), "both pay"),
    }
    permits.add_permits(3);
    let (first, second) = both.await;
    let mut actions = [first.action(), second.action()];
    actions.sort_unstable();
    assert_eq!(actions, ["compacted", "replayed"]);
    assert_eq!(model.asked().len(), 2, "once for the client that went away, and once for both");
    let sent = provider.asked();
    let [.., before, last] = &sent[..] else { panic!("two requests") };
    assert_eq!(before.body, last.body);
    assert_eq!(one.logs(&first).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_leaves_what_was_prepared_unused() {
    let permits = Arc::new(Semaphore::new(1));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["of the first way", "of the other way"]).await);
    let world = World::start(&provider, model_at(&model), |_| {}).await;
    let mut session = Session::new(DIALECT);
    // From its second turn on it goes another way.
    world.turn(&mut session).await;
    let mut other = session.clone().on_branch("other");
    world.until_asked(&mut session, &model, 1).await;
    world.until_prepared(&session).await;
    // Both ways begin alike, so that the second preparation needs the lease of the first.
    world.until_given_back(&session).await;
    world.until_asked(&mut other, &model, 2).await;
    permits.add_permits(1);
    let compacted = world.until_compacted(&mut other).await;
    let sent = provider.asked().pop().expect("a request").body.to_string();
    assert!(sent.contains("of the other way") && !sent.contains("of the first way"), "{sent}");
    assert!(!sent.contains("key-3-main"));
    assert_eq!(world.logs(&compacted).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_model_is_not_waited_for_longer_than_allowed() {
    let permits = Arc::new(Semaphore::new(0));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["far too late", "again"]).await);
    let max_wait = Duration::from_millis(30);
    let world = World::start(&provider, model_at(&model), |setup| setup.max_wait = max_wait).await;
    let mut session = Session::new(DIALECT);
    world.until_asked(&mut session, &model, 1).await;
    let compacted = world.until_compacted(&mut session).await;
    let logs = world.logs(&compacted).await;
    assert_eq!((logs[0].author.as_deref(), &logs[0].stood_in), (Some("local"), &None));
    assert!(logs[0].wait_ms >= 30);
    assert_eq!(model.asked().len(), 1, "it is not asked once more for the same");
    // What comes late is used for nothing.
    permits.add_permits(1);
    for _ in 0..2 {
        assert_eq!(world.turn(&mut session).await.action(), "replayed");
    }
    check_prefixes(DIALECT, &provider.asked());
    assert!(provider.asked().iter().all(|asked| !asked.body.to_string().contains("far too late")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_by_now_is_made_anew() {
    let permits = Arc::new(Semaphore::new(2));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["made ahead", "made anew"]).await);
    let world = World::start(&provider, model_at(&model), |_| {}).await;
    let mut session = Session::new(DIALECT);
    world.until_asked(&mut session, &model, 1).await;
    world.until_prepared(&session).await;
    // The agent does much at once: what stays behind what was prepared fills the room again.
    for _ in 0..12 {
        session.next_input();
        session.answer();
    }
    let compacted = world.until_compacted(&mut session).await;
    let sent = provider.asked().pop().expect("a request").body.to_string();
    assert!(sent.contains("made anew") && !sent.contains("made ahead"));
    assert!(world.logs(&compacted).await[0].record.after < world.logs(&compacted).await[0].record.before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_stops_gives_back_its_leases() {
    let permits = Arc::new(Semaphore::new(0));
    let (provider, model) = (provider(DIALECT).await, held(&permits, &["never"]).await);
    let world = World::start(&provider, model_at(&model), |_| {}).await;
    let mut session = Session::new(DIALECT);
    world.until_asked(&mut session, &model, 1).await;
    assert!(world.is_leased(&session).await);
    world.gateway.close().await;
    // It does not wait for them for ever, so that on a busy machine they may come back a little later.
    world.until_given_back(&session).await;
    // It serves on, and prepares no more.
    world.turn(&mut session).await;
    assert_eq!(model.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_prepared_unless_somebody_wants_it() {
    let (provider, model) = (provider(DIALECT).await, Server::start(vec![Act::Says(summary("asked for"))]).await);
    let world = World::start(&provider, model_at(&model), |setup| setup.prepare_at = None).await;
    let mut session = Session::new(DIALECT);
    let compacted = world.until_compacted(&mut session).await;
    assert_eq!(model.asked().len(), 1, "asked for when it was due");
    assert_eq!(world.logs(&compacted).await[0].author.as_deref(), Some("scripted"));
    assert!(world.metric("epitome_summaries_total{outcome=\"model\"} 1"));
    let world = World::start(&provider, model_at(&model), |setup| setup.observe = true).await;
    for _ in 0..20 {
        world.turn(&mut session).await;
    }
    assert_eq!(model.asked().len(), 1, "nobody pays for what is only watched");
}

//! Whatever a model does, the agent is answered, and the local summariser has written what it did not.

use std::fmt::Write;
use std::time::Duration;

use epitome_wire::Dialect;

use crate::fault_server::{Act, Server};
use crate::session::Session;
use crate::world::{PREPARE_AT, World, check_prefixes, model_at, provider, summary};

const DIALECT: Dialect = Dialect::OpenAiChat;

fn faults() -> Vec<(&'static str, Act)> {
    let said = summary("the worker restarts");
    let status = |status| Act::Status(status, Vec::new(), "{\"error\":{\"type\":\"overloaded_error\"}}".to_owned());
    let invented: String = (0..12).map(|n| format!("- MADE_UP_{n}\n")).collect();
    vec![
        ("answers well", Act::Says(said.clone())),
        ("answers in one piece", Act::SaysAtOnce(said.clone())),
        ("reports few tokens: it has cut the prompt", Act::SaysOf(said.clone(), 100, 10)),
        ("is busy (429)", status(429)),
        ("is broken (500)", status(500)),
        ("refuses the key (401)", status(401)),
        ("never answers", Act::Hangs),
        ("hangs in its answer", Act::SaysAndHangs("## Goal\n- find".to_owned())),
        ("breaks off", Act::SaysAndCuts("## Goal\n- find".to_owned())),
        ("talks for ever", Act::SaysForever),
        ("is cut at its limit", Act::SaysUntilLimit("## Goal\n- find".to_owned())),
        ("says nothing", Act::Says(" ".to_owned())),
        ("repeats its prompt", Act::Echoes),
        ("talks instead", Act::Says("I am sorry, I cannot help with that.".to_owned())),
        ("invents", Act::Says(format!("## Goal\n{invented}"))),
        ("answers in Anthropic's dialect", Act::SaysAnthropic(said.clone())),
        ("answers in Responses' dialect", Act::SaysResponses(said)),
    ]
}

/// Plays a session until it is compacted, and tells who wrote the summary.
async fn written_by(act: Act, prepare_at: Option<f64>) -> String {
    // Only who hangs is waited for; the others have done what they do long before, on any machine.
    let hangs = matches!(act, Act::Hangs | Act::SaysAndHangs(_));
    let max_wait = if hangs { Duration::from_millis(1_500) } else { Duration::from_secs(60) };
    let (provider, model) = (provider(DIALECT).await, Server::start(vec![act]).await);
    let world = World::start(&provider, model_at(&model), |setup| {
        setup.prepare_at = prepare_at;
        setup.max_wait = max_wait;
    })
    .await;
    let mut session = Session::new(DIALECT);
    if prepare_at.is_some() {
        world.until_asked(&mut session, &model, 1).await;
    }
    let compacted = world.until_compacted(&mut session).await;
    for _ in 0..2 {
        world.turn(&mut session).await;
    }
    check_prefixes(DIALECT, &provider.asked());
    let log = world.logs(&compacted).await.remove(0);
    let author = log.author.expect("somebody wrote it");
    match log.stood_in {
        Some(why) => format!("{author}; {why}").replace(&model.base_url, "HOST"),
        None => author,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_the_summary_when_a_model_fails() {
    let mut table = "| The model… | Asked when it is due | Asked ahead |\n|---|---|---|\n".to_owned();
    for (name, act) in faults() {
        let due = written_by(act.clone(), None).await;
        let ahead = written_by(act, Some(PREPARE_AT)).await;
        writeln!(table, "| {name} | {due} | {ahead} |").expect("in memory");
    }
    insta::assert_snapshot!("faults", table);
}

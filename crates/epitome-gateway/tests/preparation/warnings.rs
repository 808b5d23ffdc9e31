//! What people are told of a session that fills up: once, and never the model.

use epitome_gateway::writer::Writer;
use epitome_wire::Dialect;

use crate::session::Session;
use crate::world::{World, provider};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_fills_up_is_told_of_once_each_time() {
    let provider = provider(Dialect::OpenAiChat).await;
    let world = World::start(&provider, Writer::Local, |_| {}).await;
    let mut session = Session::new(Dialect::OpenAiChat);
    let told = |of: &str| {
        let metrics = world.metrics.to_string();
        let line = format!("epitome_filling_total{{of=\"{of}\"}} ");
        metrics.lines().find_map(|found| found.strip_prefix(&line)?.parse::<u64>().ok()).unwrap_or(0)
    };
    let (mut near, mut compactions) = (0, 0);
    for _ in 0..60 {
        let answered = world.turn(&mut session).await;
        compactions += u64::from(answered.action() == "compacted");
        assert!(told("threshold") <= compactions + 1, "once before each compaction");
        near = told("threshold");
    }
    assert!(near >= 1 && compactions >= 3, "{near} of {compactions}");
    assert_eq!(told("window"), 0);
    assert!(provider.asked().iter().all(|asked| !asked.body.to_string().contains("compaction threshold")));
    // Where nothing is made smaller, the window fills, and that is told once.
    let watching = World::start(&provider, Writer::Local, |setup| setup.observe = true).await;
    for _ in 0..3 {
        watching.turn(&mut session).await;
    }
    assert!(watching.metric("epitome_filling_total{of=\"window\"} 1"));
}

//! What all stores promise, and what a database that others use has to, on a PostgreSQL that is started for it.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

mod server;

use std::io::Write;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::*;
use crate::contract::{self, Shared, compaction, history, output, session, tenant, turn};
use server::Server;

/// One server for all: `initdb` takes longer than the rest.
#[test]
fn it_keeps_its_promises() {
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let shared: Shared = Arc::new(runtime.block_on(PostgresStore::connect(&server.url("postgres"))).unwrap());

    let mut broken = Vec::new();
    macro_rules! ask_for_each {
        ($($room:ident::$promise:ident,)*) => {
            $(
                let asked = shared.clone();
                let promise = runtime.spawn(async move { contract::$room::$promise(&asked).await });
                if runtime.block_on(promise).is_err() {
                    broken.push(stringify!($promise));
                }
            )*
        };
    }
    contract::promises!(ask_for_each);
    assert_eq!(broken, [""; 0], "broken promises; what was wrong is said above");

    it_agrees_with_memory(&runtime, &shared);
    runtime.block_on(async {
        gateways_may_start_at_once(&server).await;
        two_gateways_share_it(&server).await;
        the_lease_of_a_gateway_that_ended_is_free_at_once(&server).await;
        a_newer_schema_is_refused(&server).await;
        a_database_of_an_older_version_goes_on_with_what_it_holds(&server).await;
        broken_connections_are_replaced(&server).await;
        what_was_stored_before_a_connection_broke_is_not_stored_again(&server).await;
        what_is_acknowledged_is_on_the_disk(&server).await;
        what_is_locked_is_not_waited_for_for_ever(&server).await;
    });
    drop(server);
    // It says so when the server is gone, and does not wait for ever.
    let gone = runtime.block_on(shared.ready());
    assert!(matches!(gone, Err(StoreError::Unavailable { .. })), "{gone:?}");
}

#[tokio::test]
async fn an_error_does_not_tell_the_password() {
    for url in ["postgres://user:secret@127.0.0.1:1/none", "postgres://user:secret@[", "user=u password=secret port=x"]
    {
        match PostgresStore::connect(url).await {
            Ok(_) => panic!("it connects"),
            Err(error) => {
                assert!(matches!(error, StoreError::Unavailable { .. }), "{error:?}");
                assert!(!format!("{error:?} {error}").contains("secret"), "{error:?}");
            }
        }
    }
}

fn it_agrees_with_memory(runtime: &Runtime, shared: &Shared) {
    let mut runner = TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) });
    let agrees = |deeds: Vec<_>| {
        runtime.block_on(contract::agrees_with_memory(shared, &deeds));
        Ok(())
    };
    runner.run(&contract::deeds(), agrees).unwrap();
}

async fn gateways_may_start_at_once(server: &Server) {
    let url = server.new_database("fresh").await;
    let mut starting = JoinSet::new();
    for _ in 0..6 {
        let url = url.clone();
        starting.spawn(async move { PostgresStore::connect(&url).await.map(|_| ()) });
    }
    assert_eq!(starting.join_all().await, vec![Ok(()); 6]);
}

async fn two_gateways_share_it(server: &Server) {
    let url = server.url("postgres");
    let (one, other) = (PostgresStore::connect(&url).await.unwrap(), PostgresStore::connect(&url).await.unwrap());
    let gateways: [Shared; 2] = [Arc::new(one), Arc::new(other)];
    let (tenant, messages) = (tenant(), history("shared by gateways", 60));
    let mut seen = None;
    for round in 1..=5usize {
        let mut racers = JoinSet::new();
        for racer in 0..16usize {
            let (shared, tenant, messages) = (gateways[racer % 2].clone(), tenant.clone(), messages.clone());
            let entry = compaction(&session("one"), &messages, 10 * round - racer % 3, &format!("{round} {racer}"));
            let entry = entry.removing(&[output("of all"), output(&format!("of {round} {racer}"))]);
            racers.spawn(async move { shared.append(&tenant, &messages, seen, entry).await.unwrap() });
        }
        let appended = racers.join_all().await;
        let stored: Vec<_> = appended.iter().filter(|one| matches!(one, Appended::Stored(_))).collect();
        assert_eq!(stored.len(), 1, "round {round}");
        let [first, second] = gateways.each_ref().map(|shared| shared.matches(&tenant, &messages));
        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        assert_eq!(first, second);
        seen = Some(first[0].id);
    }
    assert_eq!(gateways[0].holdings(&tenant).await.unwrap().originals, 6);
    let fresh = [[1; 32], [2; 32]];
    let secrets = [gateways[0].secret("shared", fresh[0]).await, gateways[1].secret("shared", fresh[1]).await];
    assert_eq!(secrets, [Ok(fresh[0]), Ok(fresh[0])]);
}

async fn the_lease_of_a_gateway_that_ended_is_free_at_once(server: &Server) {
    let url = server.url("postgres");
    let (one, other) = (PostgresStore::connect(&url).await.unwrap(), PostgresStore::connect(&url).await.unwrap());
    let (tenant, prefix) = (tenant(), history("lease of the dead", 1)[0]);
    assert!(one.lease(&tenant, prefix, "same name", 0, u64::MAX / 2).await.unwrap());
    for _ in 0..3 {
        assert!(!other.lease(&tenant, prefix, "same name", 1, 2).await.unwrap());
    }
    drop(one);
    // The server notices when it reads that the connection is gone.
    let taken = async { while !other.lease(&tenant, prefix, "same name", 1, u64::MAX / 2).await.unwrap() {} };
    tokio::time::timeout(std::time::Duration::from_secs(60), taken).await.expect("it is free");
    assert!(!other.lease(&tenant, prefix, "another", 1, 2).await.unwrap());
}

async fn a_newer_schema_is_refused(server: &Server) {
    let url = server.new_database("newer").await;
    drop(PostgresStore::connect(&url).await.unwrap());
    server.execute("newer", "INSERT INTO epitome.version VALUES (1000)").await;
    match PostgresStore::connect(&url).await {
        Ok(_) => panic!("it opens"),
        Err(error) => assert_eq!(error, StoreError::Newer { found: 1000, known: schema::VERSION }),
    }
}

async fn a_database_of_an_older_version_goes_on_with_what_it_holds(server: &Server) {
    let url = server.new_database("older").await;
    let shared: Shared = Arc::new(PostgresStore::connect(&url).await.unwrap());
    let (tenant, id, messages) = (tenant(), session("one"), history("older", 6));
    let first = contract::store(&shared, &tenant, &messages, None, compaction(&id, &messages, 3, "first")).await;
    let before = shared.sessions(&tenant, 10).await.unwrap();
    drop(shared);
    // As the version before sessions were archived left it.
    server.execute("older", "DROP TABLE epitome.continuations").await;
    server.execute("older", "DELETE FROM epitome.version").await;
    server.execute("older", "INSERT INTO epitome.version VALUES (2)").await;
    let shared: Shared = Arc::new(PostgresStore::connect(&url).await.unwrap());
    assert_eq!(shared.sessions(&tenant, 10).await.unwrap(), before);
    let archiving = compaction(&id, &messages, 5, "archives").archiving();
    let stored = contract::store(&shared, &tenant, &messages, Some(first.id), archiving).await;
    assert_eq!(stored.session.as_str(), "one~2");
}

async fn broken_connections_are_replaced(server: &Server) {
    let shared: Shared = Arc::new(PostgresStore::connect(&server.url("postgres")).await.unwrap());
    let (tenant, messages) = (tenant(), history("broken", 9));
    for depth in 1..=5 {
        let seen = shared.matches(&tenant, &messages).await.unwrap().first().map(|entry| entry.id);
        server
            .execute("fresh", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres'")
            .await;
        let entry = compaction(&session("one"), &messages, depth, "broken");
        contract::store(&shared, &tenant, &messages, seen, entry).await;
        shared.note_turn(&tenant, &session("one"), &turn(1, "model"), None).await.unwrap();
    }
    assert_eq!(shared.compactions(&tenant, &session("one")).await.unwrap().len(), 5);
}

async fn what_was_stored_before_a_connection_broke_is_not_stored_again(server: &Server) {
    let store = PostgresStore::connect(&server.new_database("lost").await).await.unwrap();
    let (tenant, id) = (tenant(), session("bot"));
    let extend = async |words: [&str; 2], attempt| {
        let packed = contents::pack_kept(&words.map(contract::message)).await.unwrap();
        let mut client = store.client().await.unwrap();
        let extended = sessions::extend_history(&mut client, &tenant, &id, 0, &packed, 1, attempt).await;
        extended.map_err(Failure::into_error)
    };
    assert_eq!(extend(["hello", "hi"], Attempt::AfterLoss).await, Ok(()));
    assert_eq!(extend(["hello", "hi"], Attempt::AfterLoss).await, Ok(()));
    assert_eq!(extend(["hello", "hi"], Attempt::First).await, Err(StoreError::Overtaken));
    assert_eq!(extend(["hello", "ho"], Attempt::AfterLoss).await, Err(StoreError::Overtaken));
    assert_eq!(store.history(&tenant, &id).await.unwrap(), ["hello", "hi"].map(contract::message));
}

async fn what_is_acknowledged_is_on_the_disk(server: &Server) {
    let url = server.new_database("hasty").await;
    server.execute("hasty", "ALTER DATABASE hasty SET synchronous_commit = off").await;
    let store = PostgresStore::connect(&url).await.unwrap();
    let row = store.client().await.unwrap().query_one("SHOW synchronous_commit", &[]).await.unwrap();
    assert_eq!(row.get::<_, &str>(0), "on");
}

async fn what_is_locked_is_not_waited_for_for_ever(server: &Server) {
    let shared: Shared = Arc::new(PostgresStore::connect(&server.url("postgres")).await.unwrap());
    let (other, connection) = tokio_postgres::connect(&server.url("postgres"), tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    other.batch_execute("BEGIN; LOCK TABLE epitome.checked").await.unwrap();
    let refused = shared.ready().await;
    assert!(matches!(&refused, Err(StoreError::Unavailable { what }) if what.contains("lock")), "{refused:?}");
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(shared.ready().await, Ok(()));
    drop(other);
    connection.await.unwrap().unwrap();
}

#[test]
#[ignore = "measures with 10,000 originals, which takes a minute"]
fn a_search_of_ten_thousand_originals_takes_no_second() {
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let shared: Shared = Arc::new(runtime.block_on(PostgresStore::connect(&server.url("postgres"))).unwrap());
    let tenant = tenant();
    runtime.block_on(contract::speed::fill(&shared, &tenant, 10_000, "needle-4711 in the hay", 1_000));
    let query = contract::literal("Needle-4711 IN the hay");
    let took = runtime.block_on(contract::speed::time_to_find(&shared, &tenant, &query, 10));
    writeln!(std::io::stdout(), "{took:?}").unwrap();
    assert!(took < std::time::Duration::from_secs(1), "{took:?}");
}

//! What all stores promise, and what a file has to: locks, full disks, sudden ends.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::contract::{self, Shared, compaction, history, literal, output, session, store, tenant, turn};

/// A store in a new place, which goes when it is dropped.
fn shared() -> (Shared, TempDir) {
    let place = TempDir::new().unwrap();
    (Arc::new(SqliteStore::open(place.path().join("store")).unwrap()), place)
}

macro_rules! tests {
    ($($room:ident::$promise:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $promise() {
                let (shared, _place) = shared();
                contract::$room::$promise(&shared).await;
            }
        )*
    };
}
contract::promises!(tests);

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

#[test]
fn it_agrees_with_memory() {
    let (shared, _place) = shared();
    let runtime = runtime();
    proptest!(ProptestConfig::with_cases(60), |(deeds in contract::deeds())| {
        runtime.block_on(contract::agrees_with_memory(&shared, &deeds));
    });
}

/// Appends compactions of one history, each on top of the one before.
async fn append(shared: &Shared, tenant: &Tenant, depths: std::ops::RangeInclusive<usize>) {
    let messages = history("appended", *depths.end());
    let mut seen = shared.matches(tenant, &messages).await.unwrap().first().map(|entry| entry.id);
    for depth in depths {
        let entry = compaction(&session("one"), &messages, depth, &format!("summary {depth}"));
        let entry = entry.removing(&[output(&format!("needle {depth}"))]);
        seen = Some(store(shared, tenant, &messages, seen, entry).await.id);
    }
}

#[tokio::test]
async fn everything_is_there_after_a_restart() {
    let (tenant, place) = (tenant(), TempDir::new().unwrap());
    let path = place.path().join("store");
    let open = || -> Shared { Arc::new(SqliteStore::open(&path).unwrap()) };
    let first = open();
    append(&first, &tenant, 1..=3).await;
    first.note_turn(&tenant, &session("one"), &turn(5, "model"), None).await.unwrap();
    assert_eq!(first.secret("key", [1; 32]).await.unwrap(), [1; 32]);
    drop(first);
    let second = open();
    let depths = second.matches(&tenant, &history("appended", 9)).await.unwrap();
    assert_eq!(depths.iter().map(|entry| entry.depth).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(second.session(&tenant, &session("one")).await.unwrap().unwrap().turns, 1);
    assert_eq!(second.search(&tenant, &literal("NEEDLE"), 9).await.unwrap().len(), 3);
    assert_eq!(second.secret("key", [2; 32]).await.unwrap(), [1; 32]);
}

/// What stands at the path of a store that is open, which has one compaction and the secret `[1; 32]`.
struct Exchanged {
    place: TempDir,
    path: PathBuf,
    shared: Shared,
    tenant: Tenant,
}

impl Exchanged {
    async fn new() -> Exchanged {
        let place = TempDir::new().unwrap();
        let path = place.path().join("data").join("store");
        fs::create_dir(place.path().join("data")).unwrap();
        let exchanged =
            Exchanged { shared: Arc::new(SqliteStore::open(&path).unwrap()), place, path, tenant: tenant() };
        append(&exchanged.shared, &exchanged.tenant, 1..=1).await;
        assert_eq!(exchanged.shared.secret("key", [1; 32]).await, Ok([1; 32]));
        exchanged
    }

    async fn depths(&self) -> Vec<u32> {
        let found = self.shared.matches(&self.tenant, &history("appended", 9)).await.unwrap();
        found.iter().map(|entry| entry.depth).collect()
    }

    /// Whether what is written now is found by who opens the file next.
    async fn goes_on(self, secret: [u8; 32]) {
        append(&self.shared, &self.tenant, 5..=5).await;
        drop(self.shared);
        let again = SqliteStore::open(&self.path).unwrap();
        let found = again.matches(&self.tenant, &history("appended", 9)).await.unwrap();
        assert_eq!(found[0].depth, 5);
        assert_eq!(again.secret("key", [2; 32]).await, Ok(secret));
        drop(self.place);
    }

    async fn says(&self, words: &str) {
        // Whoever asks hears it for a while, and it can be used.
        for _ in 0..2 {
            let news = self.shared.ready().await;
            assert!(matches!(&news, Err(StoreError::Replaced { what }) if what.contains(words)), "{news:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_file_is_made_anew() {
    let exchanged = Exchanged::new().await;
    fs::remove_file(&exchanged.path).unwrap();
    // So many at once that each of the threads that read has some.
    let (shared, tenant) = (&exchanged.shared, &exchanged.tenant);
    let messages = history("appended", 2);
    for read in (0..32).map(|_| shared.matches(tenant, &messages)).collect::<Vec<_>>() {
        assert_eq!(read.await, Ok(Vec::new()));
    }
    exchanged.says("was deleted").await;
    // Tenants are named by the same secret, now and by whoever opens the file next.
    exchanged.goes_on([1; 32]).await;
}

#[tokio::test]
async fn a_removed_directory_is_made_anew() {
    let exchanged = Exchanged::new().await;
    fs::remove_dir_all(exchanged.path.parent().unwrap()).unwrap();
    assert_eq!(exchanged.depths().await, [0; 0]);
    exchanged.says("was deleted").await;
    exchanged.goes_on([1; 32]).await;
}

/// Another store, with compactions up to a depth and a secret.
async fn other_store(place: &Path, tenant: &Tenant, depth: usize, secret: [u8; 32]) -> PathBuf {
    let other = place.join("other");
    let store: Shared = Arc::new(SqliteStore::open(&other).unwrap());
    append(&store, tenant, 1..=depth).await;
    store.secret("key", secret).await.unwrap();
    drop(store);
    other
}

#[tokio::test]
async fn a_file_that_replaces_it_is_opened() {
    let exchanged = Exchanged::new().await;
    let other = other_store(exchanged.place.path(), &exchanged.tenant, 3, [3; 32]).await;
    // What the old one has not written into its file yet stands beside it, and is none of the new one's.
    assert!(fs::metadata(place::beside(&exchanged.path, "-wal")).unwrap().len() > 0);
    fs::rename(other, &exchanged.path).unwrap();
    assert_eq!(exchanged.depths().await, [3, 2, 1]);
    exchanged.says("start the gateway again").await;
    exchanged.goes_on([3; 32]).await;
}

#[tokio::test]
async fn a_file_that_is_no_store_is_left_alone_until_there_is_one() {
    let exchanged = Exchanged::new().await;
    let text = "this is no database\n".repeat(1_000);
    let garbage = exchanged.place.path().join("garbage");
    fs::write(&garbage, &text).unwrap();
    fs::rename(garbage, &exchanged.path).unwrap();
    let messages = history("appended", 2);
    let entry = compaction(&session("one"), &messages, 2, "late");
    let refused = exchanged.shared.append(&exchanged.tenant, &messages, None, entry).await;
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
    assert!(matches!(exchanged.shared.ready().await, Err(StoreError::Damaged { .. })));
    assert_eq!(fs::read_to_string(&exchanged.path).unwrap(), text);
    fs::remove_file(&exchanged.path).unwrap();
    // It is not tried again at once.
    while exchanged.shared.ready().await.is_err_and(|error| !matches!(error, StoreError::Replaced { .. })) {
        tokio::task::yield_now().await;
    }
    assert_eq!(exchanged.depths().await, [0; 0]);
    exchanged.goes_on([1; 32]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_may_share_the_file() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let [one, other] = [(); 2].map(|()| -> Shared { Arc::new(SqliteStore::open(&path).unwrap()) });
    let (tenant, messages) = (tenant(), history("shared", 9));
    let mut racers = tokio::task::JoinSet::new();
    for racer in 0..12 {
        let shared = if racer % 2 == 0 { one.clone() } else { other.clone() };
        let (tenant, messages) = (tenant.clone(), messages.clone());
        let entry = compaction(&session("one"), &messages, 5, &format!("racer {racer}"));
        racers.spawn(async move { shared.append(&tenant, &messages, None, entry).await.unwrap() });
    }
    let appended = racers.join_all().await;
    assert_eq!(appended.iter().filter(|one| matches!(one, Appended::Stored(_))).count(), 1);
    assert_eq!(one.matches(&tenant, &messages).await, other.matches(&tenant, &messages).await);
}

#[tokio::test]
async fn what_is_indexed_is_found_like_what_is_not() {
    let place = TempDir::new().unwrap();
    let store = SqliteStore::open(place.path().join("store")).unwrap();
    let shared: Shared = Arc::new(store);
    for _ in 0..2 {
        contract::originals::every_literal_is_found(&shared).await;
        contract::originals::a_literal_is_no_pattern(&shared).await;
    }
    drop(shared);
    // Everything is indexed sooner or later: at the latest after a restart, when nobody asks for anything.
    let store = SqliteStore::open(place.path().join("store")).unwrap();
    while store.read_by_writer(index::index_some).await.unwrap() == threads::More::Yes {}
    let left: i64 = store
        .read(|connection| {
            Ok(connection.query_row("SELECT count(*) FROM contents WHERE indexed = 0", [], |row| row.get(0))?)
        })
        .await
        .unwrap();
    assert_eq!(left, 0);
    let large = format!("{} the NEEDLE {}", "hay ".repeat(300_000), "hay ".repeat(300_000));
    let (large_tenant, messages) = (tenant(), history("large", 3));
    let entry = compaction(&session("large"), &messages, 2, "large").removing(&[output(&large)]);
    store.append(&large_tenant, &messages, None, entry).await.unwrap();
    for indexed in [0, 2] {
        let found = store.search(&large_tenant, &literal("the needle"), 10).await.unwrap();
        assert_eq!(found.len(), 1, "{indexed}");
        while store.read_by_writer(index::index_some).await.unwrap() == threads::More::Yes {}
    }
    // The index alone answers for literals of three characters and more, and has them all.
    let tenants: Vec<String> = store
        .read(|connection| {
            let mut statement = connection.prepare("SELECT DISTINCT tenant FROM sessions")?;
            let tenants = statement.query_map([], |row| row.get(0))?;
            Ok(tenants.collect::<Result<_, _>>()?)
        })
        .await
        .unwrap();
    assert_eq!(tenants.len(), 5);
    let mut looked_for = 0;
    for tenant in tenants.into_iter().map(Tenant::new) {
        for session in store.sessions(&tenant, 10).await.unwrap() {
            for (entry, _) in store.compactions(&tenant, &session.id).await.unwrap() {
                for original in store.removed_by(&tenant, entry.id).await.unwrap() {
                    let found = store.search(&tenant, &literal(&original.words), 100).await.unwrap();
                    assert!(found.iter().any(|found| found.hash == original.hash), "{:?}", original.words);
                    looked_for += 1;
                }
            }
        }
    }
    assert!(looked_for > 80, "{looked_for}");
}

#[tokio::test]
async fn an_edit_is_on_the_disk_before_it_is_acknowledged() {
    let place = TempDir::new().unwrap();
    let store = SqliteStore::open(place.path().join("store")).unwrap();
    let synchronous =
        |connection: &Connection| Ok(connection.query_row("PRAGMA synchronous", [], |row| row.get::<_, i64>(0))?);
    const NORMAL: i64 = 1;
    const FULL: i64 = 2;
    assert_eq!(store.write(Durability::PowerLoss, synchronous).await, Ok(FULL));
    assert_eq!(store.write(Durability::Crash, synchronous).await, Ok(NORMAL));
    let mode: String =
        store.read(|connection| Ok(connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?)).await.unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn who_fails_is_undone_alone() {
    let place = TempDir::new().unwrap();
    let store = SqliteStore::open(place.path().join("store")).unwrap();
    let write = |name: &'static str, result: Result<(), StoreError>| {
        store.write(Durability::Crash, move |connection| {
            connection.execute("INSERT INTO secrets VALUES (?1, zeroblob(32))", [name])?;
            result
        })
    };
    // All three wait before the first is looked at, so they are one transaction, or three: it must not matter.
    let (one, two, three) =
        tokio::join!(write("one", Ok(())), write("two", Err(StoreError::Overtaken)), write("three", Ok(())));
    assert_eq!((one, two, three), (Ok(()), Err(StoreError::Overtaken), Ok(())));
    let names: String = store
        .read(|connection| {
            Ok(connection.query_row(
                "SELECT group_concat(name) FROM (SELECT name FROM secrets ORDER BY name)",
                [],
                |row| row.get(0),
            )?)
        })
        .await
        .unwrap();
    assert_eq!(names, "one,three");
}

#[cfg(unix)]
#[tokio::test]
async fn its_files_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = TempDir::new().unwrap();
    let shared: Shared = Arc::new(SqliteStore::open(place.path().join("store")).unwrap());
    append(&shared, &tenant(), 1..=2).await;
    let files: Vec<_> = fs::read_dir(place.path()).unwrap().map(|file| file.unwrap()).collect();
    let mut names: Vec<_> = files.iter().map(|file| file.file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["store", "store-shm", "store-wal"]);
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
}

#[tokio::test]
async fn a_locked_file_is_said_to_be_unavailable_and_works_again_later() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let store = SqliteStore::open_with_patience(&path, Duration::from_millis(20)).unwrap();
    let shared: Shared = Arc::new(store);
    let tenant = tenant();
    append(&shared, &tenant, 1..=1).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let messages = history("appended", 2);
    let entry = compaction(&session("one"), &messages, 2, "late");
    let refused = shared.append(&tenant, &messages, None, entry).await;
    assert!(matches!(&refused, Err(StoreError::Unavailable { what }) if what.contains("locked")), "{refused:?}");
    assert!(matches!(shared.ready().await, Err(StoreError::Unavailable { .. })));
    // Who reads is not in anybody's way.
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap().len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(shared.ready().await, Ok(()));
    append(&shared, &tenant, 2..=2).await;
}

#[tokio::test]
async fn a_full_disk_is_said_and_nothing_is_lost() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let store = Arc::new(SqliteStore::open(&path).unwrap());
    let shared: Shared = store.clone();
    let tenant = tenant();
    append(&shared, &tenant, 1..=3).await;
    let limit = |pages: &'static str| {
        store.read_by_writer(move |connection| {
            let pages = if pages == "now" { "PRAGMA page_count" } else { "SELECT 1000000" };
            let most: i64 = connection.query_row(pages, [], |row| row.get(0))?;
            connection.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))?;
            Ok(())
        })
    };
    limit("now").await.unwrap();
    let messages = history("appended", 9);
    let seen = shared.matches(&tenant, &messages).await.unwrap()[0].id;
    let noise: Vec<u8> =
        (0..40_000u32).flat_map(|number| blake3::hash(&number.to_le_bytes()).as_bytes()[..4].to_vec()).collect();
    let large = crate::records::Original::new(crate::records::OriginalKind::Text, noise, "noise".to_owned());
    let entry = compaction(&session("one"), &messages, 9, "too large").removing(&[large]);
    let refused = shared.append(&tenant, &messages, Some(seen), entry.clone()).await;
    assert!(matches!(&refused, Err(StoreError::Unavailable { what }) if what.contains("full")), "{refused:?}");
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap()[0].id, seen);
    // When there is room again it goes on.
    limit("many").await.unwrap();
    contract::store(&shared, &tenant, &messages, Some(seen), entry).await;
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap()[0].depth, 9);
    assert_eq!(shared.ready().await, Ok(()));
}

#[track_caller]
fn refused(path: &Path) -> StoreError {
    match SqliteStore::open(path) {
        Ok(_) => panic!("it opens"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_file_of_an_older_version_goes_on_with_what_it_holds() {
    let (tenant, place) = (tenant(), TempDir::new().unwrap());
    let path = place.path().join("store");
    let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
    append(&shared, &tenant, 1..=3).await;
    let before = shared.sessions(&tenant, 10).await.unwrap();
    drop(shared);
    // As the version before sessions were archived left it.
    Connection::open(&path).unwrap().execute_batch("DROP TABLE continuations; PRAGMA user_version = 2").unwrap();
    let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
    assert_eq!(shared.sessions(&tenant, 10).await.unwrap(), before);
    let messages = history("appended", 5);
    let seen = shared.matches(&tenant, &messages[..3]).await.unwrap()[0].id;
    let archiving = compaction(&session("one"), &messages[..3], 3, "archives").archiving();
    let stored = store(&shared, &tenant, &messages[..3], Some(seen), archiving).await;
    assert_eq!(stored.session.as_str(), "one~2");
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    drop(SqliteStore::open(&path).unwrap());
    let newer = schema::VERSION + 1;
    Connection::open(&path).unwrap().pragma_update(None, "user_version", newer).unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(refused(&path), StoreError::Newer { found: newer, known: schema::VERSION });
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let place = TempDir::new().unwrap();
    let garbage = place.path().join("garbage");
    let text = "this is no database\n".repeat(1_000);
    fs::write(&garbage, &text).unwrap();
    assert!(matches!(refused(&garbage), StoreError::Damaged { .. }));
    assert_eq!(fs::read_to_string(&garbage).unwrap(), text);

    let foreign = place.path().join("foreign");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE theirs (x); PRAGMA user_version = 1").unwrap();
    let before = fs::read(&foreign).unwrap();
    assert!(matches!(refused(&foreign), StoreError::Damaged { .. }));
    assert_eq!(fs::read(&foreign).unwrap(), before);

    assert!(matches!(refused(place.path()), StoreError::Unavailable { .. }));
    assert!(matches!(refused(&place.path().join("no such").join("store")), StoreError::Unavailable { .. }));
}

#[tokio::test]
async fn a_file_that_broke_says_so() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let tenant = tenant();
    let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
    append(&shared, &tenant, 1..=60).await;
    drop(shared);
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[4_096..length].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let result = match SqliteStore::open(&path) {
        Ok(store) => store.matches(&tenant, &history("appended", 60)).await.map(|_| ()),
        Err(error) => Err(error),
    };
    assert!(matches!(result, Err(StoreError::Damaged { .. })), "{result:?}");
}

#[tokio::test]
async fn deleting_gives_the_room_back() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let tenant = tenant();
    let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
    let noise: String = (0..60_000u32).map(|number| blake3::hash(&number.to_le_bytes()).to_string()).collect();
    let messages = history("large", 3);
    let entry = compaction(&session("one"), &messages, 2, "large").removing(&[output(&noise)]);
    store(&shared, &tenant, &messages, None, entry).await;
    assert!(shared.delete(&tenant, &session("one")).await.unwrap());
    // Dropping waits until it is done.
    drop(shared);
    let size = fs::metadata(&path).unwrap().len();
    assert!(size < 400_000, "{size} bytes are left");
    let words = noise.get(1_000..1_064).unwrap();
    let file = fs::read(&path).unwrap();
    assert!(!file.windows(words.len()).any(|window| window == words.as_bytes()));
}

/// Where the child of one of the tests below finds its store.
const CHILD_PATH: &str = "EPITOME_STORE_TEST_CHILD_PATH";

/// This program again, as a process of its own that runs one test.
fn child(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("sqlite::tests::{test}"), "--ignored", "--nocapture"]).env(CHILD_PATH, path);
    command
}

#[expect(clippy::disallowed_methods, reason = "a test speaks to its own child process")]
fn path_of_child() -> PathBuf {
    std::env::var_os(CHILD_PATH).expect("this is the child of another test, and run by it").into()
}

#[test]
#[ignore = "a child process of a_file_that_cannot_be_written_is_said_to_be_unavailable"]
fn child_that_may_not_write() {
    let error = refused(&path_of_child());
    assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_said_to_be_unavailable() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65_534;
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    drop(SqliteStore::open(&path).unwrap());
    let mut child = child("child_that_may_not_write", &path);
    // Nothing is read-only for root, who hands it to somebody else, together with a program that they may run.
    if fs::metadata(&path).unwrap().uid() == 0 {
        let program = place.path().join("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        for file in [place.path(), &path, &program] {
            chown(file, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let arguments: Vec<_> = child.get_args().map(ToOwned::to_owned).collect();
        child = Command::new(program);
        child.args(arguments).env(CHILD_PATH, &path).current_dir("/").uid(NOBODY).gid(NOBODY);
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o500)).unwrap();
    let before = fs::read(&path).unwrap();
    let said = child.output().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("1 passed"), "{said}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
#[ignore = "a child process of a_killed_process_loses_nothing_acknowledged"]
fn child_that_appends() {
    let shared: Shared = Arc::new(SqliteStore::open(path_of_child()).unwrap());
    runtime().block_on(async {
        let messages = history("appended", 100_000);
        let mut seen =
            shared.matches(&Tenant::only(), &messages).await.unwrap().first().map(|entry| (entry.id, entry.depth));
        let mut out = std::io::stdout();
        for depth in seen.map_or(1, |(_, depth)| depth as usize + 1)..100_000 {
            let entry = compaction(&session("one"), &messages, depth, &format!("summary {depth}"));
            let entry = entry.removing(&[output(&format!("needle {depth}"))]);
            let shared_entry = store(&shared, &Tenant::only(), &messages[..depth], seen.map(|(id, _)| id), entry).await;
            seen = Some((shared_entry.id, shared_entry.depth));
            shared
                .extend_history(&Tenant::only(), &session("one"), depth - 1, &[contract::message("kept")], 1)
                .await
                .unwrap();
            writeln!(out, "acknowledged {depth}").unwrap();
            out.flush().unwrap();
        }
    });
}

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let mut acknowledged = 0;
    for round in 1..=3u32 {
        let mut child = child("child_that_appends", &path).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut depths = said.filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u32>().ok());
        let enough = acknowledged + 7 * round;
        for depth in depths.by_ref() {
            acknowledged = depth;
            if depth >= enough {
                break;
            }
        }
        // In the middle of the next append. What it said before it died counts, too.
        child.kill().unwrap();
        acknowledged = depths.last().unwrap_or(acknowledged);
        child.wait().unwrap();

        // The next child may have one more: the append that was written, and not acknowledged any more.
        let messages = history("appended", acknowledged as usize + 1);
        let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
        runtime().block_on(async {
            let tenant = Tenant::only();
            let matches = shared.matches(&tenant, &messages).await.unwrap();
            assert!(matches[0].depth >= acknowledged, "{} of {acknowledged} are left", matches[0].depth);
            let compactions = shared.compactions(&tenant, &session("one")).await.unwrap();
            assert!(compactions.len() as u32 >= acknowledged);
            let kept = shared.history(&tenant, &session("one")).await.unwrap().len() as u32;
            assert!(kept >= acknowledged, "{kept} of {acknowledged} messages are left");
            let found = shared.search(&tenant, &literal(&format!("needle {acknowledged}")), 10).await.unwrap();
            assert!(!found.is_empty());
            // The child goes on where it was: the history must not be one behind.
            if kept < matches[0].depth {
                let missing = [contract::message("kept")];
                shared.extend_history(&tenant, &session("one"), kept as usize, &missing, 1).await.unwrap();
            }
        });
    }
    assert!(acknowledged >= 42 - 21, "{acknowledged} appends were made");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures with 20,000 originals, which takes a minute"]
async fn a_search_of_twenty_thousand_originals_takes_no_second() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("store");
    let tenant = tenant();
    let shared: Shared = Arc::new(SqliteStore::open(&path).unwrap());
    contract::speed::fill(&shared, &tenant, 20_000, "needle-4711 in the hay", 2_000).await;
    let find = async |query| contract::speed::time_to_find(&shared, &tenant, &query, 10).await;
    let at_once = find(literal("Needle-4711 IN the hay")).await;
    let left = async || {
        let count = "SELECT count(*) FROM contents WHERE indexed = 0";
        let store = SqliteStore::open(&path).unwrap();
        store.read(|connection| Ok(connection.query_row(count, [], |row| row.get::<_, i64>(0))?)).await.unwrap()
    };
    while left().await > 0 {}
    let indexed = find(literal("Needle-4711 IN the hay")).await;
    let pattern = find(contract::pattern(r"needle-\d+ in")).await;
    let bytes = fs::metadata(&path).unwrap().len();
    writeln!(std::io::stdout(), "at once {at_once:?}, indexed {indexed:?}, a pattern {pattern:?}, {bytes} bytes")
        .unwrap();
    assert!(indexed < Duration::from_secs(1), "{indexed:?}");
}

#[tokio::test]
async fn the_lease_of_a_store_that_is_gone_is_free_at_once() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("e.db");
    let shows = || {
        let names = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains("-alive-")).count()
    };
    let (one, other) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    let (tenant, prefix) = (tenant(), history("lease of the dead", 1)[0]);
    // Of a process that was killed long ago.
    let left = place.path().join("e.db-alive-0123456789abcdef");
    std::fs::write(&left, "").unwrap();
    assert!(one.lease(&tenant, prefix, "same name", 0, u64::MAX / 2).await.unwrap());
    assert!(!left.exists() && shows() == 1);
    assert!(!other.lease(&tenant, prefix, "same name", 1, 2).await.unwrap());
    drop(one);
    assert!(other.lease(&tenant, prefix, "same name", 1, u64::MAX / 2).await.unwrap());
    assert!(!other.lease(&tenant, prefix, "another", 1, 2).await.unwrap());
    drop(other);
    assert_eq!(shows(), 0);
}

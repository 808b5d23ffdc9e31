//! A PostgreSQL server for tests: in a directory of its own, on a socket in it, ended with the test.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(super) struct Server {
    process: Child,
    place: TempDir,
}

/// It has started after a second or two; machines that test are busy.
const PATIENCE: Duration = Duration::from_secs(60);

const MISSING: &str = "PostgreSQL is not installed, and this test needs it.\nhint: apt-get install postgresql";

impl Server {
    pub(super) fn start() -> Server {
        let programs = programs();
        let place = TempDir::new().unwrap();
        let data = place.path().join("data");
        let run = |program: &str| {
            let mut command = Command::new("setpriv");
            // The kernel ends it even if the test is killed.
            command.args(["--pdeathsig", "INT"]);
            if let Some((user, group)) = unprivileged(place.path()) {
                command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".to_owned()]);
            }
            command.arg("--").arg(programs.join(program)).current_dir(place.path()).stdin(Stdio::null());
            command
        };
        let made = run("initdb")
            .args(["--username=postgres", "--auth=trust", "--no-sync", "--no-locale", "--encoding=UTF8", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));

        let said = fs::File::create(place.path().join("said")).unwrap();
        let mut command = run("postgres");
        command.arg("-D").arg(&data).arg("-k").arg(place.path());
        for setting in ["listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=100"] {
            command.args(["-c", setting]);
        }
        // In a group of its own: an interrupt at the terminal is the test's, which then ends the server.
        let process = command.stdout(said.try_clone().unwrap()).stderr(said).process_group(0).spawn().unwrap();
        let mut server = Server { process, place };
        server.wait_until_it_listens();
        server
    }

    pub(super) fn url(&self, database: &str) -> String {
        format!("host={} user=postgres dbname={database}", self.place.path().display())
    }

    pub(super) async fn new_database(&self, name: &str) -> String {
        self.execute("postgres", &format!("CREATE DATABASE {name}")).await;
        self.url(name)
    }

    pub(super) async fn execute(&self, database: &str, statement: &str) {
        let (client, connection) = tokio_postgres::connect(&self.url(database), tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(statement).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    }

    fn wait_until_it_listens(&mut self) {
        let begun = Instant::now();
        // It says where it listens in the last line of this file, and that it is ready.
        let file = self.place.path().join("data").join("postmaster.pid");
        while !fs::read_to_string(&file)
            .is_ok_and(|text| text.lines().nth(7).is_some_and(|line| line.trim() == "ready"))
        {
            let said = || fs::read_to_string(self.place.path().join("said")).unwrap_or_default();
            assert!(self.process.try_wait().unwrap().is_none(), "postgres ended: {}", said());
            assert!(begun.elapsed() < PATIENCE, "postgres does not start: {}", said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked to, it takes its shared memory with it. If that cannot be, it is killed.
        let asked = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status();
        let begun = Instant::now();
        while asked.is_ok() && begun.elapsed() < PATIENCE && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where the programs are: Debian keeps them by version.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut places: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    places.extend(["/usr/bin", "/usr/local/bin", "/usr/local/pgsql/bin"].map(PathBuf::from));
    let has_both = |place: &&PathBuf| place.join("initdb").exists() && place.join("postgres").exists();
    places.iter().find(has_both).unwrap_or_else(|| panic!("{MISSING}")).clone()
}

/// PostgreSQL does not run as root. Who it runs as instead, if we are root; the place is handed to them.
fn unprivileged(place: &Path) -> Option<(u32, u32)> {
    const ROOT: u32 = 0;
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let numbers = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2).map(|field| field.parse().ok());
        Some((fields.next()??, fields.next()??))
    };
    let ours = fs::metadata("/proc/self").map(|process| process.uid()).ok()?;
    if ours != ROOT {
        return None;
    }
    let (user, group) = numbers("postgres").or_else(|| numbers("nobody")).expect("there is always nobody");
    chown(place, Some(user), Some(group)).unwrap();
    Some((user, group))
}

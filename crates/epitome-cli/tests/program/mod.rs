//! The program as a person runs it, for all tests of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What a run of the program said.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("our output is UTF-8")
    }
}

/// Runs the program with nothing of this machine's environment or configuration.
pub(crate) fn epitome(arguments: &[&str], stdin: &[u8]) -> Run {
    let home = TempDir::new().expect("a temporary directory");
    run_in(home.path(), arguments, stdin)
}

pub(crate) fn run_in(directory: &Path, arguments: &[&str], stdin: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("HOME", directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("stdin is piped");
    let bytes = stdin.to_vec();
    // The program may end before it has read everything, as it should on a wrong command line.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Run {
        code: output.status.code().expect("it was not killed"),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("our messages are UTF-8"),
    }
}

pub(crate) fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fastapi-session.json")
}

pub(crate) fn sample_bytes() -> Vec<u8> {
    std::fs::read(sample()).expect("the sample session is part of the project")
}

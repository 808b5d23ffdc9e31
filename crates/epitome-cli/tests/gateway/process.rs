//! `epitome serve` as a process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Where the programs are that the tests use: sh, curl, kill, prlimit.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A gateway that runs. It is ended with the test.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    process: Child,
}

impl Gateway {
    /// Starts one with nothing of this machine's environment or configuration.
    pub(crate) fn start(home: &Path, upstream: &str, settings: &[&str]) -> Gateway {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--upstream", upstream]);
        // What is told is about bytes, and markers are no fault.
        command.args(["--set", "prompt_caching.strategy=client"]);
        command.args(settings.iter().flat_map(|setting| ["--set", setting]));
        command.current_dir(home).env_clear().env("HOME", home).env("PATH", PATH).env("EPITOME_LOG", "off");
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let said = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(said).lines();
        let listening = lines.next().expect("it says something").expect("text");
        let address = listening.split(['/', ',']).nth(2).and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("it does not listen: {listening}"));
        // Read on, so that it never waits for somebody to.
        std::thread::spawn(move || lines.for_each(drop));
        Gateway { address, process }
    }

    /// Ends it as nothing can be ended more suddenly.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it has ended");
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) {
        let asked = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        assert!(asked.expect("kill is part of every system").success());
        assert!(self.process.wait().expect("it runs").success());
    }

    /// Its files may not grow beyond so many bytes; `unlimited` lifts that.
    pub(crate) fn files_may_have(&self, bytes: &str) {
        self.may_have(&format!("--fsize={bytes}:unlimited"));
    }

    /// It may not have more files and connections open than so many.
    pub(crate) fn may_open(&self, files: usize) {
        self.may_have(&format!("--nofile={files}:"));
    }

    fn may_have(&self, limit: &str) {
        let done = Command::new("prlimit").args(["--pid", &self.process.id().to_string(), limit]).status();
        assert!(done.expect("prlimit is part of util-linux").success());
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

//! More connections than the process may have files.

use std::io::Read;
use std::net::TcpStream;

use tempfile::TempDir;

use crate::client::ask;
use crate::process::Gateway;
use crate::provider::{Does, Provider};
use crate::question::{SMALL, WINDOW, session};

/// What the gateway may open; it needs some thirty for itself.
const FILES: usize = 80;

#[test]
fn too_many_open_files_end_no_service() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start(home.path(), &provider.url(), &[WINDOW, "store.location=memory"]);
    assert_eq!(ask(gateway.address, &session(SMALL)).status, Some(200));
    gateway.may_open(FILES);
    let mut crowd: Vec<TcpStream> =
        (0..2 * FILES).map(|_| TcpStream::connect(gateway.address).expect("it listens")).collect();
    // Nobody says anything: those who came first make room for those who wait.
    for silent in crowd.iter_mut().take(FILES) {
        assert!(matches!(silent.read(&mut [0]), Ok(0) | Err(_)), "it is closed");
    }
    drop(crowd);
    // While the last of them go, there may be no file for the way to the provider.
    let served = (0..1_000).find(|_| ask(gateway.address, &session(SMALL)).status == Some(200));
    assert!(served.is_some(), "it serves again");
}

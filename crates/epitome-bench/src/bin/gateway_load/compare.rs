//! Whether two recorders, one before and one behind a gateway, saw the same: bodies byte for byte, and headers but for those
//! that are between two neighbours only.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use crate::recorder::NUMBER;

#[derive(Args)]
pub(crate) struct Compare {
    /// What the recorder before the gateway wrote.
    before: PathBuf,
    /// What the one behind it wrote.
    behind: PathBuf,
}

/// Headers that say something about one connection (RFC 9110, 7.6.1), the address that was asked, and our own number.
const BETWEEN_NEIGHBOURS: [&str; 10] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "transfer-encoding",
    "upgrade",
    "expect",
    "host",
    NUMBER,
];

#[derive(Deserialize)]
struct Head {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let [before, behind] = [numbers(&self.before)?, numbers(&self.behind)?];
        let (mut same, mut bytes) = (0, 0);
        let mut differences = Vec::new();
        let mut by_path: BTreeMap<String, usize> = BTreeMap::new();
        for number in before.intersection(&behind) {
            let [one, other] = [read(&self.before, number)?, read(&self.behind, number)?];
            let route = format!("{} {}", one.0.method, one.0.path.split('?').next().unwrap_or_default());
            *by_path.entry(route).or_default() += 1;
            match difference(&one, &other) {
                None => {
                    same += 1;
                    bytes += one.1.len();
                }
                Some(what) => differences.push(json!({"request": number, "path": one.0.path, "what": what})),
            }
        }
        let answered: Vec<String> = before
            .difference(&behind)
            .map(|number| read(&self.before, number).map(|(head, _)| format!("{} {}", head.method, head.path)))
            .collect::<Result<_, _>>()?;
        let made_up: Vec<&String> = behind.difference(&before).collect();
        let line = json!({
            "requests": before.len(),
            "same": same,
            "bytes_compared": bytes,
            "different": differences,
            "answered_by_the_gateway": answered,
            "not_the_clients": made_up,
            "by_path": by_path,
        });
        writeln!(std::io::stdout(), "{line:#}")?;
        ensure!(same > 0 && differences.is_empty() && made_up.is_empty(), "they are not the same");
        Ok(())
    }
}

fn numbers(directory: &Path) -> anyhow::Result<BTreeSet<String>> {
    let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect())
}

fn read(directory: &Path, number: &str) -> anyhow::Result<(Head, Vec<u8>)> {
    let head = std::fs::read(directory.join(format!("{number}.json")))?;
    Ok((serde_json::from_slice(&head)?, std::fs::read(directory.join(format!("{number}.body")))?))
}

fn difference(one: &(Head, Vec<u8>), other: &(Head, Vec<u8>)) -> Option<String> {
    let same = one.1.iter().zip(&other.1).take_while(|(one, other)| one == other).count();
    if same < one.1.len().max(other.1.len()) {
        return Some(format!("the bodies differ from byte {same} on: {} and {} bytes", one.1.len(), other.1.len()));
    }
    if (&one.0.method, &one.0.path) != (&other.0.method, &other.0.path) {
        return Some(format!("{} {} became {} {}", one.0.method, one.0.path, other.0.method, other.0.path));
    }
    let [one, other] = [&one.0, &other.0].map(|head| {
        let kept = head.headers.iter().filter(|(name, _)| !BETWEEN_NEIGHBOURS.contains(&name.as_str()));
        // Values of one name keep their order; names have none.
        let mut kept: Vec<&(String, String)> = kept.collect();
        kept.sort_by_key(|(name, _)| name);
        kept
    });
    // Which headers, not what they say: some are credentials.
    let names: BTreeSet<&str> = one
        .iter()
        .filter(|header| !other.contains(header))
        .chain(other.iter().filter(|header| !one.contains(header)))
        .map(|(name, _)| name.as_str())
        .collect();
    (one != other).then(|| format!("headers differ: {names:?}"))
}

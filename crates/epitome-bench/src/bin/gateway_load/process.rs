//! What a process has used, as Linux tells it.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Context;

/// The CPU time that a process and those that it started have used.
pub(crate) fn cpu(pid: u32) -> anyhow::Result<Duration> {
    family(pid).into_iter().map(cpu_of_one).sum()
}

/// The memory that a process and those that it started have in use, in megabytes.
pub(crate) fn memory(pid: u32) -> f64 {
    family(pid).into_iter().filter_map(memory_of_one).sum()
}

fn cpu_of_one(pid: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let ticks: u64 =
        fields(&stat).context("no name in it")?.skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    // Linux counts in hundredths here, whatever its clock does.
    Ok(Duration::from_millis(ticks * 10))
}

fn memory_of_one(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// The fields of `/proc/…/stat` behind the second, which is a name in brackets and may hold anything.
fn fields(stat: &str) -> Option<impl Iterator<Item = &str>> {
    Some(stat.rsplit_once(')')?.1.split_whitespace())
}

/// A process and those that it started, and those that they did.
fn family(pid: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: HashMap<u32, u32> = pids
        .filter_map(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = fields(&stat)?.nth(1)?.parse().ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut family = vec![pid];
    let mut looked_at = 0;
    while let Some(parent) = family.get(looked_at).copied() {
        family.extend(parents.iter().filter(|(_, of)| **of == parent).map(|(child, _)| *child));
        looked_at += 1;
    }
    family
}

//! Reports of vulnerable packages: `npm audit` and the like.

use std::collections::BTreeMap;

use crate::outputs::reading::{Events, Finding, Layout, Rank, Reading};

/// Reads paragraphs of which each tells of a package, its severity and its advisories.
pub(super) fn read(text: &str) -> Option<Reading> {
    let found = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !found("Severity: ") || !(found("vulnerabilit") || found("advisories/")) {
        return None;
    }
    let severe = text.lines().filter(|line| severity(line).is_some()).count();
    if severe < 2 || severe * 12 < text.lines().count() {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let lines: Vec<&str> = reading.pieces.iter().map(|piece| piece.text(text)).collect();
    for piece in &mut reading.pieces {
        let line = piece.text(text);
        let total = line.contains(" vulnerabilit") && line.starts_with(|c: char| c.is_ascii_digit());
        piece.rank = if total { Rank::Frame } else { Rank::Told };
    }
    for (index, line) in lines.iter().enumerate() {
        let Some(severity) = severity(line) else { continue };
        *counts.entry(severity).or_default() += 1;
        let first = lines.get(..index).unwrap_or_default().iter().rev().take_while(|line| !line.trim().is_empty());
        let first = index - first.count();
        let below = lines.iter().skip(index).take_while(|line| !line.trim().is_empty()).count();
        let bad = matches!(severity.to_ascii_lowercase().as_str(), "high" | "critical");
        for at in first..index + below {
            let line = lines.get(at).copied().unwrap_or_default();
            let tells = at <= index || line.contains("://") || line.contains("GHSA-") || line.contains("CVE-");
            match (bad, tells) {
                (true, true) => reading.raise(at, Rank::Finding(Finding::Warning)),
                (true, false) => reading.raise(at, Rank::Telling(1)),
                (false, _) if at == first => reading.raise(at, Rank::Telling(2)),
                (false, _) => {}
            }
        }
    }
    let said: Vec<String> = counts.iter().map(|(severity, count)| format!("{count} {severity}")).collect();
    reading.say_always(format!("vulnerable packages: {}", said.join(", ")));
    Some(reading)
}

fn severity(line: &str) -> Option<&str> {
    line.trim().strip_prefix("Severity: ").map(str::trim).filter(|severity| !severity.contains(' '))
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn severe_vulnerabilities_are_kept_and_others_counted() {
        let mut text = String::from("# npm audit report\n\n");
        for n in 0..30 {
            let severity = if n == 11 { "critical" } else { ["moderate", "low"][n % 2] };
            text.push_str(&format!("pkg-{n}  <2.{n}.0\nSeverity: {severity}\nPrototype pollution in pkg-{n} - https://example.org/advisories/GHSA-{n:04}-aaaa\nfix available via `npm audit fix`\nnode_modules/pkg-{n}\n\n"));
        }
        text.push_str("30 vulnerabilities (14 low, 15 moderate, 1 critical)\n");
        insta::assert_snapshot!(check("npm audit", &text), @"
        [digest of build output: 20 of 183 lines kept, 1,251 tokens; original e94528f13f94]
        vulnerable packages: 1 critical, 14 low, 15 moderate
        pkg-0  <2.0.0
        pkg-1  <2.1.0
        pkg-2  <2.2.0
        pkg-3  <2.3.0
        pkg-4  <2.4.0
        pkg-5  <2.5.0
        pkg-6  <2.6.0
        pkg-7  <2.7.0
        pkg-8  <2.8.0
        pkg-9  <2.9.0
        pkg-10  <2.10.0
        pkg-11  <2.11.0
        Severity: critical
        Prototype pollution in pkg-11 - https://example.org/advisories/GHSA-0011-aaaa
        fix available via `npm audit fix`
        node_modules/pkg-11
        pkg-12  <2.12.0
        pkg-13  <2.13.0
        pkg-14  <2.14.0
        30 vulnerabilities (14 low, 15 moderate, 1 critical)
        ");
    }
}

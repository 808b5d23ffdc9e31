//! Configuration: the keys of each block, values that are unlike those of the blocks beside, and what the agent works on.

mod entry;

use std::collections::{BTreeMap, HashMap};

use super::outliers::{Cell, Column, Summary, outliers, summarize};
use super::reading::{Finding, Layout, Piece, Rank, Reading, Section, Unit};
use super::source::{call, language};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, events};
use entry::{Entry, Role, Style, entries};

/// YAML, TOML, INI, environment and property files, units, blocks in braces.
pub struct Config;

/// A value that is shown beside its key.
const VALUE_CHARS: usize = 28;
/// A block is told with its values up to this length, else by its keys.
const BLOCK_CHARS: usize = 150;
/// The names of a block's keys are told up to this length.
const NAMES_CHARS: usize = 600;
/// A key with its value on a line of its own.
const LINE_CHARS: usize = 100;
/// More keys at the top are told together.
const KEYS_AT_TOP: usize = 24;
/// So many blocks are enough to say that one is unlike the others.
const FEWEST_ALIKE: usize = 5;
/// From so many on the columns themselves say what is unlike.
const MANY_ALIKE: usize = 12;
/// More lines than these are no exceptions.
const ODD_AT_MOST: usize = 4;

impl OutputKind for Config {
    fn name(&self) -> &'static str {
        "configuration"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let shown = call::shown(output);
        if let language::Named::Code(known) = language::by_path(&shown.path)
            && !known.rules.is_empty()
        {
            return None;
        }
        // Pages begin with a few keys.
        if [".md", ".mdx", ".rst", ".txt"].iter().any(|ending| shown.path.ends_with(ending)) {
            return None;
        }
        let (style, entries) = entries(&output.text)?;
        let count = |role: Role| entries.iter().filter(|entry| entry.role == role).count();
        // Lines in brackets without a key below them are messages.
        if count(Role::Section) > count(Role::Key) {
            return None;
        }
        Some(Outline::of(style, &entries).reading(&output.text, effort))
    }
}

/// The entries as a tree.
struct Outline<'entries, 'text> {
    style: Style,
    entries: &'entries [Entry<'text>],
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// Lines of values below each.
    values: Vec<usize>,
    /// Behind the last line of each.
    ends: Vec<usize>,
}

impl<'entries, 'text> Outline<'entries, 'text> {
    fn of(style: Style, entries: &'entries [Entry<'text>]) -> Outline<'entries, 'text> {
        let count = entries.len();
        let mut outline = Outline {
            style,
            entries,
            parents: vec![None; count],
            children: vec![Vec::new(); count],
            values: vec![0; count],
            ends: (1..=count).collect(),
        };
        let mut open: Vec<usize> = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match entry.role {
                Role::Key | Role::Item | Role::Section => {
                    open.truncate(entry.depth);
                    if let Some(parent) = open.last() {
                        outline.parents.get_mut(index).map(|own| own.replace(*parent));
                        outline.children.get_mut(*parent).into_iter().for_each(|children| children.push(index));
                    }
                    open.push(index);
                }
                Role::Value => {
                    open.last().and_then(|last| outline.values.get_mut(*last)).into_iter().for_each(|lines| *lines += 1)
                }
                Role::Nothing if entry.value == "---" => open.clear(),
                Role::Nothing | Role::Foreign => continue,
            }
            for above in &open {
                outline.ends.get_mut(*above).into_iter().for_each(|end| *end = index + 1);
            }
        }
        outline
    }

    fn children(&self, index: usize) -> &[usize] {
        self.children.get(index).map(Vec::as_slice).unwrap_or_default()
    }

    fn entry(&self, index: usize) -> Option<&'entries Entry<'text>> {
        self.entries.get(index)
    }

    fn is_block(&self, index: usize) -> bool {
        !self.children(index).is_empty()
    }

    /// What an entry is called by its parent: its key, or of an item what names it.
    fn name(&self, index: usize) -> String {
        let Some(entry) = self.entry(index) else { return String::new() };
        if entry.role != Role::Item {
            return entry.key.to_owned();
        }
        let named = |entry: &&Entry<'_>| matches!(entry.key, "name" | "id" | "key" | "title");
        let below = || self.children(index).iter().filter_map(|child| self.entry(*child));
        let first = Some(entry).filter(named).or_else(|| below().find(named)).unwrap_or(entry);
        let value = first.value.trim_matches(['"', '\'']);
        if value.is_empty() { first.key.to_owned() } else { cut_to_chars(value, VALUE_CHARS) }
    }

    /// `services.web`
    fn path(&self, index: usize) -> String {
        let mut names = vec![self.name(index)];
        let mut at = index;
        while let Some(parent) = self.parents.get(at).copied().flatten() {
            names.push(self.name(parent));
            at = parent;
        }
        names.reverse();
        names.join(".")
    }

    /// A block by its keys, with their values if they are short. The second: whether all values are told.
    fn told(&self, index: usize, chars: usize) -> (String, bool) {
        let children = self.children(index);
        let is_list =
            children.first().and_then(|child| self.entry(*child)).is_some_and(|entry| entry.role == Role::Item);
        let values = self.has_short_values(children);
        let with_value = |child: &usize| -> Option<String> {
            let entry = self.entry(*child)?;
            let value = entry.value.split(" #").next().unwrap_or_default().trim();
            let short = value.chars().count() <= VALUE_CHARS && self.values.get(*child) == Some(&0);
            let name = self.name(*child);
            match self.is_block(*child) {
                _ if entry.role == Role::Item => Some(name),
                true => Some(name),
                false if short => Some(format!("{name}: {value}")),
                false => Some(name),
            }
        };
        let joined = |names: &[String]| {
            let names = without_repeats(names).join(", ");
            match self.entry(index).map(|entry| entry.role) {
                Some(Role::Section) => format!("[{}] {names}", self.name(index)),
                _ if is_list => format!("{}: [{names}]", self.name(index)),
                _ => format!("{}: {{{names}}}", self.name(index)),
            }
        };
        let full: Option<Vec<String>> = children.iter().map(with_value).collect();
        if let Some(told) = full.map(|full| joined(&full)).filter(|told| told.chars().count() <= chars) {
            return (told, values);
        }
        let mut room = NAMES_CHARS;
        let all = children.iter().map(|child| self.name(*child));
        let mut names: Vec<String> = all
            .take_while(|name| {
                let fits = room.checked_sub(name.len() + 2);
                room = fits.unwrap_or_default();
                fits.is_some()
            })
            .collect();
        if names.len() < children.len() {
            names.push(format!("… {} more", children.len() - names.len()));
        }
        (joined(&names), false)
    }

    fn is_short(&self, index: usize) -> bool {
        let short = self.entry(index).is_some_and(|entry| entry.value.chars().count() <= VALUE_CHARS);
        short && self.values.get(index) == Some(&0)
    }

    fn has_short_values(&self, children: &[usize]) -> bool {
        children.iter().all(|child| self.is_block(*child) || self.is_short(*child))
    }

    fn reading(&self, text: &str, effort: Effort) -> Reading {
        let mut reading = Reading { layout: Layout::Bare, ends: false, ..Reading::empty(Unit::Line) };
        let tops: Vec<usize> = self.of_depth(0).collect();
        let single = tops.iter().filter(|top| !self.is_block(**top)).count();
        self.say_keys(&mut reading, &tops, single);
        let mut told_values = vec![false; self.entries.len()];
        for (index, entry) in self.entries.iter().enumerate() {
            let indent = "  ".repeat(entry.depth.min(8));
            let one_line = || {
                let words = text.get(entry.span.clone()).unwrap_or_default().trim();
                let more = self.values.get(index).copied().filter(|lines| *lines > 0);
                let more = more.map(|lines| format!(" (+{lines} lines)")).unwrap_or_default();
                format!("{indent}{}{more}", cut_to_chars(super::numbers::without_number(words), LINE_CHARS))
            };
            let above_told =
                self.parents.get(index).copied().flatten().and_then(|above| told_values.get(above)) == Some(&true);
            let (rank, full) = match entry.role {
                Role::Nothing => (Rank::Told, None),
                Role::Foreign => (Rank::Ordinary, None),
                Role::Value if !entry.value.contains(char::is_alphanumeric) => (Rank::Told, None),
                Role::Value => (Rank::Ordinary, None),
                Role::Key | Role::Item | Role::Section if self.is_block(index) => {
                    let (told, values) = self.told(index, BLOCK_CHARS);
                    told_values.get_mut(index).into_iter().for_each(|own| *own = values);
                    let rank = if entry.depth == 0 { Rank::Frame } else { Rank::Telling(entry.depth as u8 - 1) };
                    (rank, Some(format!("{indent}{told}")))
                }
                Role::Key | Role::Item | Role::Section => {
                    let rank = match entry.depth {
                        _ if above_told => Rank::Told,
                        0 if single <= KEYS_AT_TOP => Rank::Frame,
                        depth => Rank::Telling((depth as u8).saturating_add(1)),
                    };
                    (rank, Some(one_line()))
                }
            };
            reading.pieces.push(Piece { rank, full, ..Piece::ordinary(entry.span.clone()) });
        }
        self.name_sections(&mut reading);
        for (index, entry) in self.entries.iter().enumerate() {
            if entry.role == Role::Foreign {
                events::mark_within(&mut reading, text, index..index + 1);
            }
        }
        if effort == Effort::Full {
            for odd in self.odd_lines() {
                let Some(piece) = reading.pieces.get_mut(odd) else { continue };
                let above = self.parents.get(odd).copied().flatten().map(|above| self.path(above)).unwrap_or_default();
                let words = super::numbers::without_number(piece.text(text)).trim();
                (piece.rank, piece.full) = (
                    Rank::Finding(Finding::Outlier),
                    Some(format!("{above}: {}", cut_to_chars(words, 2 * LINE_CHARS))),
                );
            }
        }
        reading
    }

    fn of_depth(&self, depth: usize) -> impl Iterator<Item = usize> + '_ {
        let entries = self.entries.iter().enumerate();
        let named = |entry: &Entry<'_>| matches!(entry.role, Role::Key | Role::Item | Role::Section);
        entries.filter(move |(_, entry)| named(entry) && entry.depth == depth).map(|(index, _)| index)
    }

    /// How many keys there are; of many without blocks their names, those with one beginning together.
    fn say_keys(&self, reading: &mut Reading, tops: &[usize], single: usize) {
        let keys = self.entries.iter().filter(|entry| !entry.key.is_empty()).count();
        let blocks = (0..self.entries.len()).filter(|index| self.is_block(*index)).count();
        if single <= KEYS_AT_TOP {
            reading.say_always(format!("{keys} keys in {blocks} blocks"));
            return;
        }
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        for key in
            tops.iter().filter(|top| !self.is_block(**top)).filter_map(|top| self.entry(*top)).map(|entry| entry.key)
        {
            let end = key.find(['.', '_', '-', '/']).map_or(key.len(), |at| at + 1);
            let (first, rest) = key.split_at_checked(end).unwrap_or((key, ""));
            let group = groups.entry(first).or_default();
            if group.is_empty() {
                order.push(first);
            }
            group.push(rest);
        }
        let told: Vec<String> = order
            .iter()
            .filter_map(|first| match groups.get(first)?.as_slice() {
                [only] => Some(format!("{first}{only}")),
                several => Some(format!("{first}{{{}}}", several.join(","))),
            })
            .collect();
        reading.say_always(format!("{keys} keys: {}", cut_to_chars(&told.join(", "), 2 * NAMES_CHARS)));
    }

    fn name_sections(&self, reading: &mut Reading) {
        for (index, end) in self.ends.iter().enumerate().filter(|(index, _)| self.is_block(*index)) {
            let (name, path) = (self.name(index), self.path(index));
            if path != name {
                reading.sections.push(Section { name: path, pieces: index..*end });
            }
            reading.sections.push(Section { name, pieces: index..*end });
        }
    }

    /// Lines that say something else than the same key of the blocks beside, or that stand in one of them only.
    fn odd_lines(&self) -> Vec<usize> {
        let mut odd: Vec<usize> = Vec::new();
        let groups = (0..self.entries.len()).map(|index| self.children(index)).filter(|group| !group.is_empty());
        let tops: Vec<usize> = if self.style == Style::Flat { Vec::new() } else { self.of_depth(0).collect() };
        for group in groups.chain(std::iter::once(tops.as_slice())) {
            let blocks: Vec<usize> = group.iter().copied().filter(|index| self.is_block(*index)).collect();
            if blocks.len() < FEWEST_ALIKE || blocks.len() * 4 < group.len() * 3 {
                continue;
            }
            let found = self.unlike_others(&blocks);
            if found.len() <= ODD_AT_MOST {
                odd.extend(found);
            }
        }
        odd.sort_unstable();
        odd.dedup();
        odd
    }

    fn unlike_others(&self, blocks: &[usize]) -> Vec<usize> {
        // The keys of each block with their lines; of an item the first key stands on its own line.
        let mut lines: HashMap<&str, Vec<(usize, usize, &str)>> = HashMap::new();
        for (row, block) in blocks.iter().enumerate() {
            let own = self.entry(*block).filter(|entry| entry.role == Role::Item).map(|_| *block);
            for line in own.into_iter().chain(self.children(*block).iter().copied()) {
                let Some(entry) = self.entry(line).filter(|entry| !entry.key.is_empty()) else { continue };
                lines.entry(entry.key).or_default().push((row, line, entry.value));
            }
        }
        let usual = lines.values().filter(|places| places.len() * 2 > blocks.len()).count();
        if usual < 2 {
            return Vec::new();
        }
        let mut odd: Vec<usize> = Vec::new();
        for places in lines.values() {
            if let [(_, line, _)] = places.as_slice() {
                odd.push(*line);
                continue;
            }
            let mut counts: HashMap<&str, usize> = HashMap::new();
            places.iter().for_each(|(_, _, value)| *counts.entry(value).or_default() += 1);
            let most = counts.values().copied().max().unwrap_or_default();
            if places.len() >= FEWEST_ALIKE && most + 1 == places.len() {
                odd.extend(
                    places.iter().filter(|(_, _, value)| counts.get(value) == Some(&1)).map(|(_, line, _)| *line),
                );
            } else if blocks.len() >= MANY_ALIKE {
                let mut cells = vec![Cell::Absent; blocks.len()];
                for (row, _, value) in places {
                    cells
                        .get_mut(*row)
                        .into_iter()
                        .for_each(|cell| *cell = Cell::of_text(value.trim_matches(['"', '\''])));
                }
                let summaries: [Summary; 1] = [summarize(&Column { name: String::new(), cells })];
                let rows = outliers(&summaries, blocks.len());
                odd.extend(
                    rows.iter()
                        .filter_map(|odd| places.iter().find(|(row, _, _)| *row == odd.row))
                        .map(|(_, line, _)| *line),
                );
            }
        }
        odd
    }
}

/// `server, server, server` is `server 3×`.
fn without_repeats(names: &[String]) -> Vec<String> {
    let runs = names.chunk_by(|one, next| one == next);
    let told = |run: &[String]| match run {
        [name] => name.clone(),
        [name, ..] => format!("{name} {}×", run.len()),
        [] => String::new(),
    };
    runs.map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, check_for, made, output};

    fn compose() -> String {
        let service = |name: &str| {
            let odd = if name == "indexer" { "    privileged: true\n" } else { "" };
            let restart = if name == "mailer" { "\"no\"" } else { "unless-stopped" };
            format!(
                "  {name}:\n    image: registry.example.org/{name}:1.4.2\n    restart: {restart}\n{odd}    environment:\n      LOG_LEVEL: info\n      DATABASE_URL: postgres://db/{name}\n    ports:\n      - \"80:80\"\n    healthcheck:\n      test: [\"CMD\", \"true\"]\n      interval: 30s\n"
            )
        };
        let services: String =
            ["web", "api", "worker", "indexer", "mailer", "search", "cron", "gateway"].map(service).concat();
        format!(
            "# The shop's services.\nversion: \"3.9\"\nname: shop\nservices:\n{services}networks:\n  front:\n    driver: bridge\n  back:\n    internal: true\nvolumes:\n  pgdata:\n    driver: local\n"
        )
    }

    #[test]
    fn blocks_are_told_by_their_keys_and_by_what_is_unlike() {
        insta::assert_snapshot!(check("cat compose.yaml", &compose()), @r#"
        [digest of configuration: 11 of 101 lines kept, 2,194 bytes; original f44f8a6dbf13]
        92 keys in 38 blocks
        version: "3.9"
        name: shop
        services: {web, api, worker, indexer, mailer, search, cron, gateway}
          web: {image, restart: unless-stopped, environment, ports, healthcheck}
          api: {image, restart: unless-stopped, environment, ports, healthcheck}
          worker: {image, restart: unless-stopped, environment, ports, healthcheck}
          indexer: {image, restart: unless-stopped, privileged: true, environment, ports, healthcheck}
        services.indexer: privileged: true
        services.mailer: restart: "no"
        networks: {front, back}
        volumes: {pgdata}
        "#);
    }

    #[test]
    fn a_block_that_the_agent_names_is_shown() {
        let digest = check_for("why does the mailer not restart", "cat compose.yaml", &compose());
        assert!(digest.contains("DATABASE_URL: postgres://db/mailer"), "{digest}");
    }

    #[test]
    fn sections_are_told_by_their_keys() {
        let dependencies: String = (0..40).map(|n| format!("crate-{n} = \"1.{n}\"\n")).collect();
        let text = format!(
            "[package]\nname = \"shop\"\nversion = \"0.4.1\"\nedition = \"2024\"\nauthors = [\n  \"Ada\",\n  \"Bob\",\n]\n\n[features]\ndefault = [\"tls\"]\ntls = []\n\n[dependencies]\n{dependencies}\n[dev-dependencies]\ninsta = \"1\"\nproptest = {{ version = \"1\", default-features = false }}\n\n[profile.release]\nlto = true\ncodegen-units = 1\npanic = \"abort\"\n\n[[bin]]\nname = \"shop\"\npath = \"src/main.rs\"\n{}",
            "# Nothing below this line is read by the build.\n".repeat(20)
        );
        insta::assert_snapshot!(check("cat Cargo.toml", &text), @r#"
        [digest of configuration: 14 of 87 lines kept, 2,001 bytes; original 25c12a686f6e]
        59 keys in 6 blocks
        [package] name: "shop", version: "0.4.1", edition: "2024", authors
          name = "shop"
          version = "0.4.1"
          edition = "2024"
          authors = [ (+3 lines)
          "Bob",
        [features] default: ["tls"], tls: []
        [dependencies] crate-0, crate-1, crate-2, crate-3, crate-4, crate-5, crate-6, crate-7, crate-8, crate-9, crate-10, crate-11, crate-12, crate-13, crate-14, crate-15, crate-16, crate-17, crate-18, crate-19, crate-20, crate-21, crate-22, crate-23, crate-24, crate-25, crate-26, crate-27, crate-28, crate-29, crate-30, crate-31, crate-32, crate-33, crate-34, crate-35, crate-36, crate-37, crate-38, crate-39
          crate-0 = "1.0"
          crate-1 = "1.1"
          crate-2 = "1.2"
        [dev-dependencies] insta: "1", proptest
        [profile.release] lto: true, codegen-units: 1, panic: "abort"
        [bin] name: "shop", path: "src/main.rs"
        "#);
    }

    #[test]
    fn keys_without_blocks_stand_together() {
        let groups = ["DATABASE", "REDIS", "SMTP", "STORAGE", "AUTH"];
        let keys = ["HOST", "PORT", "USER", "PASSWORD", "TIMEOUT_SECONDS", "POOL_SIZE"];
        let lines: Vec<String> = groups
            .iter()
            .flat_map(|group| {
                keys.iter()
                    .map(move |key| format!("{group}_{key}=value-of-{}-{}", group.to_lowercase(), key.to_lowercase()))
            })
            .collect();
        let text = format!(
            "# Settings of the shop.\n{}\nexport DEBUG=\"false\"\n{}",
            lines.join("\n"),
            "# more to come\n".repeat(40)
        );
        insta::assert_snapshot!(check("cat .env", &text), @"
        [digest of configuration: 6 of 72 lines kept, 1,811 bytes; original abfc0727c70b]
        31 keys: DATABASE_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, REDIS_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, SMTP_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, STORAGE_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, AUTH_{HOST,PORT,USER,PASSWORD,TIMEOUT_SECONDS,POOL_SIZE}, DEBUG
        DATABASE_HOST=value-of-database-host
        DATABASE_PORT=value-of-database-port
        DATABASE_USER=value-of-database-user
        DATABASE_PASSWORD=value-of-database-password
        DATABASE_TIMEOUT_SECONDS=value-of-database-timeout_seconds
        DATABASE_POOL_SIZE=value-of-database-pool_size
        ");
    }

    #[test]
    fn braces_make_blocks() {
        let server = |n: usize| {
            let extra = if n == 4 { "        proxy_buffering off;\n" } else { "" };
            format!(
                "    server {{\n        listen 443 ssl;\n        server_name shop-{n}.example.org;\n        ssl_certificate /etc/tls/shop-{n}.pem;\n        location / {{\n            proxy_pass http://shop-{n}:8080;\n            proxy_set_header Host $host;\n        }}\n{extra}    }}\n"
            )
        };
        let servers: String = (0..9).map(server).collect();
        let text = format!(
            "user nginx;\nworker_processes auto;\n\nevents {{\n    worker_connections 1024;\n}}\n\nhttp {{\n    sendfile on;\n    gzip on;\n{servers}}}\n"
        );
        insta::assert_snapshot!(check("cat /etc/nginx/nginx.conf", &text), @"
        [digest of configuration: 8 of 93 lines kept, 2,332 bytes; original a0e76fdf92d3]
        71 keys in 20 blocks
        user nginx;
        worker_processes auto;
        events: {worker_connections: 1024}
        http: {sendfile: on, gzip: on, server 9×}
          server: {listen: 443 ssl, server_name: shop-0.example.org, ssl_certificate: /etc/tls/shop-0.pem, location /}
          server: {listen: 443 ssl, server_name: shop-1.example.org, ssl_certificate: /etc/tls/shop-1.pem, location /}
          server: {listen: 443 ssl, server_name: shop-2.example.org, ssl_certificate: /etc/tls/shop-2.pem, location /}
        http.server: proxy_buffering off;
        ");
        let resource = |n: usize| {
            format!(
                "resource \"aws_instance\" \"web_{n}\" {{\n  ami           = var.ami\n  instance_type = \"t3.small\"\n  tags = {{\n    Name = \"web-{n}\"\n  }}\n}}\n\n"
            )
        };
        let terraform: String = (0..12).map(resource).collect();
        assert_eq!(made("", "cat main.tf", &terraform).expect("a digest").kind, "configuration");
    }

    #[test]
    fn a_unit_keeps_its_sections() {
        let environment: String = (0..60).map(|n| format!("Environment=OPTION_{n}=value-{n}\n")).collect();
        let text = format!(
            "[Unit]\nDescription=Shop\nAfter=network-online.target\n\n[Service]\nExecStart=/usr/bin/shop serve\nRestart=always\nUser=shop\n{environment}\n[Install]\nWantedBy=multi-user.target\n"
        );
        let digest = check("systemctl cat shop", &text);
        for part in ["[Unit]", "[Service]", "[Install]", "ExecStart", "WantedBy"] {
            assert!(digest.contains(part), "{part}: {digest}");
        }
    }

    #[track_caller]
    fn no_configuration(text: &str) {
        assert_eq!(Config.read(&output("x", text), Effort::Full), None);
    }

    #[test]
    fn other_outputs_are_left_to_other_kinds() {
        no_configuration("");
        no_configuration("key: value\n");
        no_configuration(&"INFO: started the worker\nWARN: slow answer\n".repeat(40));
        no_configuration(&"remote: Counting objects: 12\nremote: Compressing\n".repeat(20));
        no_configuration(&"- button \"Save\" [ref=e1]\n- link \"Home\" [ref=e2]:\n  - /url: /\n".repeat(30));
        no_configuration(
            &"- The first thing that we want to say is this.\n- Another: it goes on with many words here.\n".repeat(30),
        );
        no_configuration(&format!(
            "---\ntitle: A page\ndate: 2025-01-01\n---\n{}",
            "This is prose, and there is a lot of it.\n\n".repeat(30)
        ));
        no_configuration(&"test a::b ... ok\ntest a::c ... ok\n".repeat(40));
        no_configuration(&"fn main() {\n    let a = 1;\n    call(a);\n}\n".repeat(20));
        no_configuration(&".button {\n  color: red;\n  margin: 0 auto;\n}\n".repeat(20));
        no_configuration(&"message Order {\n  string id = 1;\n  int64 total = 2;\n}\n".repeat(20));
        no_configuration(&"interface Order {\n  id: string;\n  total: number;\n}\n".repeat(20));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_covered_by_its_pieces(lines in proptest::collection::vec("[ab:=\\[\\]{};|\"# é-]{0,14}|  - a: b|key: v|x = 1|\\[s\\]", 0..40)) {
            let text = lines.join("\n");
            if let Some(reading) = Config.read(&output("x", &text), Effort::Full) {
                let mut at = 0;
                for piece in &reading.pieces {
                    proptest::prop_assert!(text.get(at..piece.span.start).is_some_and(|gap| gap.trim().is_empty()));
                    at = piece.span.end;
                }
                proptest::prop_assert!(text.get(at..).is_some_and(|gap| gap.trim().is_empty()));
            }
        }
    }
}

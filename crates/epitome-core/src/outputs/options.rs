//! The options that a manual or a help text explains, by their names.

use super::reading::Fact;

/// Fewer are no list.
const AT_LEAST: usize = 8;
/// Named at most.
const NAMED: usize = 80;

/// `options: -a/--all, --color, …`, if the text explains options.
pub(super) fn options(text: &str) -> Option<Fact> {
    let mut names: Vec<String> = Vec::new();
    let (mut lines, mut other) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        match name(line) {
            Some(name) if !names.contains(&name) && names.len() < NAMED => names.push(name),
            Some(_) => {}
            None => other += 1,
        }
        // Prose has no options: no need to look on.
        if lines == 200 && names.len() < AT_LEAST / 2 {
            return None;
        }
    }
    (names.len() >= AT_LEAST && names.len() * 12 >= other)
        .then(|| Fact { text: format!("options: {}", names.join(", ")), always: false })
}

/// The names at the beginning of an indented line: `  -a, --all=WHEN   do …` is `-a/--all`.
fn name(line: &str) -> Option<String> {
    let option = line.trim_start();
    if option.len() == line.len() || !option.starts_with('-') {
        return None;
    }
    let is_name = |word: &str| {
        let bare = word.trim_start_matches('-');
        let dashes = word.len() - bare.len();
        (dashes == 2 && bare.len() > 1 || dashes == 1 && bare.len() == 1)
            && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let words = option.split([' ', ',', '|', '/', '\t']).filter(|word| !word.is_empty());
    let words = words.map(|word| word.split(['=', '[', '<']).next().unwrap_or_default());
    let names: Vec<&str> = words.take(3).take_while(|word| is_name(word)).collect();
    (!names.is_empty()).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named() {
        let text = "Usage: tool [options]\n\n  -a, --all        do all of it\n  -b               less\n      --color[=WHEN]  paint\n      --depth <n>  how deep\n  -e, --exclude=GLOB\n      --file NAME\n  -g\n  -h, --help\n";
        let said = options(text).expect("options are found").text;
        assert_eq!(said, "options: -a/--all, -b, --color, --depth, -e/--exclude, --file, -g, -h/--help");
        assert_eq!(options("- one\n- two\n"), None);
        assert_eq!(options(""), None);
    }
}

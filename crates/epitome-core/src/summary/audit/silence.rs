//! An answer in plain words cannot be wrong about a name, and says nothing of the work: it must name something of it.

use std::collections::BTreeSet;

use super::claims::{Kind, claims_in};
use crate::arguments::{CallKind, PATH_KEYS, string_argument};
use crate::model::Block;
use crate::summary::{NewestRequest, SummaryRequest};

/// From so many names on, one of them must be mentioned.
const ENOUGH: usize = 3;

/// How many files were changed and names stand in the newest request, if `answer` mentions none of them although there are
/// enough to expect it. A file is mentioned by the last part of its path.
pub fn names_nothing(request: &SummaryRequest, answer: &str) -> Option<usize> {
    let mut names = changed_files(request);
    if let NewestRequest::Goes { request, .. } = &request.newest_request {
        let telling = claims_in(request).filter(|(_, claim)| claim.kind != Kind::Number);
        names.extend(telling.map(|(_, claim)| last_part(claim.text)));
    }
    names.retain(|name| name.len() > 2);
    let answer = answer.to_lowercase();
    (names.len() >= ENOUGH && !names.iter().any(|name| answer.contains(name))).then_some(names.len())
}

fn changed_files(request: &SummaryRequest) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for block in request.messages.iter().flat_map(|message| &message.blocks) {
        let Block::ToolCall(call) = block else { continue };
        if CallKind::of(&call.name) == CallKind::Writes
            && let Some(path) = string_argument(&call.arguments, PATH_KEYS)
        {
            files.insert(last_part(&path));
        }
    }
    files
}

fn last_part(path: &str) -> String {
    path.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, Role, ToolCall};
    use crate::tokens::Tokens;

    #[track_caller]
    fn check(files: &[&str], asked: &str, answer: &str, expected: Option<usize>) {
        let call = |path: &&str| {
            let arguments = format!("{{\"file_path\": \"{path}\"}}").into();
            Block::ToolCall(ToolCall { id: "c".into(), name: "Edit".into(), arguments })
        };
        let message = Message { blocks: files.iter().map(call).collect(), ..Message::text(Role::Assistant, "") };
        let newest_request = NewestRequest::Goes { request: asked.to_owned(), answered: None };
        let request = SummaryRequest { newest_request, ..SummaryRequest::new(vec![message], Tokens(1_000)) };
        assert_eq!(names_nothing(&request, answer), expected);
    }

    #[test]
    fn one_of_three_names_must_be_mentioned() {
        let files = ["/w/src/lexer.rs", "src/parser.rs", "Makefile"];
        let plain = "## Goal\n- the person wants the tool to work, and it was worked on\n";
        check(&files, "go on", plain, Some(3));
        check(&files, "go on", "## Done\n- Parser.rs reads tabs", None);
        check(&files[..2], "go on", plain, None);
        check(&files[..2], "call parse_header first", plain, Some(3));
        check(&files[..2], "call parse_header first", "## Goal\n- parse_header first", None);
        check(&[], "make it 20 times faster in 3 days, please, and test it", plain, None);
    }
}

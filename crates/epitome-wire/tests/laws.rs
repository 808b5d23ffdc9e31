//! What holds for every request, however it is spelled.

mod requests;

use std::cell::RefCell;
use std::collections::BTreeMap;

use epitome_core::edit::{Edit, apply};
use epitome_core::model::{Conversation, Message, Role};
use epitome_wire::{Container, Dialect, DuplicateKeys, Format, ReadError, Request, SpliceError, Spliced, unsplice};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use requests::{Script, edits, script, spell, text, with_joined_prompts};

fn read(text: &str, dialect: Dialect) -> Request {
    Request::read(text.as_bytes().to_vec(), Format::Given(dialect), DuplicateKeys::Refuse)
        .expect("a spelled session can be read")
}

fn undo(spliced: &Spliced, original: &[u8]) -> Option<Vec<u8>> {
    let pieces: Vec<_> =
        spliced.patches.iter().map(|patch| (patch.replacement.clone(), &original[patch.original.clone()])).collect();
    unsplice(&spliced.bytes, &pieces)
}

fn comparable(conversation: &Conversation, dialect: Dialect) -> Conversation {
    match dialect {
        Dialect::AnthropicMessages => conversation.clone(),
        Dialect::OpenAiChat | Dialect::OpenAiResponses => with_joined_prompts(conversation),
    }
}

fn name(edit: &Edit) -> &'static str {
    match edit {
        Edit::ShortenOutput { .. } => "shorten",
        Edit::Replace { with, .. } if with.is_empty() => "remove",
        Edit::Replace { .. } => "replace",
        Edit::NoteInSystem { .. } => "note",
        Edit::AnswerCall { .. } => "answer",
        Edit::RemoveResult { .. } => "remove result",
    }
}

/// One door to the API: reads, splices, undoes and reads again.
fn check_splice(script: &Script, dialect: Dialect, texts: &[String], seed: u64) -> Vec<&'static str> {
    let original = spell(script, dialect);
    let request = read(&original, dialect);
    assert_eq!(request.container(), script.container, "{original}");
    let applied = edits(request.conversation(), texts, seed);
    let spliced = request.splice(&applied).expect("the edits are its own");
    assert_eq!(undo(&spliced, original.as_bytes()).as_deref(), Some(original.as_bytes()));
    for pair in spliced.patches.windows(2) {
        assert!(pair[0].original.end < pair[1].original.start && pair[0].replacement.end < pair[1].replacement.start);
    }
    let after = String::from_utf8(spliced.bytes).expect("we write UTF-8");
    let again = read(&after, dialect);
    let (found, expected) = (comparable(again.conversation(), dialect), comparable(applied.conversation(), dialect));
    assert!(found == expected, "{:#?}\n{original}\n{after}\n{found:#?}\n{expected:#?}", applied.edits());
    applied.edits().iter().map(name).collect()
}

#[test]
fn what_is_spliced_reads_as_what_was_applied_and_can_be_undone() {
    let seen = RefCell::new(BTreeMap::new());
    let strategy =
        (script(), prop::sample::select(Dialect::ALL.to_vec()), prop::collection::vec(text(), 1..4), any::<u64>());
    let mut runner = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    runner
        .run(&strategy, |(script, dialect, texts, seed)| {
            for edit in check_splice(&script, dialect, &texts, seed) {
                *seen.borrow_mut().entry((dialect.name(), script.container as usize, edit)).or_insert(0) += 1;
            }
            Ok(())
        })
        .unwrap();
    let seen = seen.into_inner();
    // Three dialects, three containers, six kinds of edits: a kind that was never tried proves nothing.
    assert_eq!(seen.len(), 3 * 3 * 6, "{seen:#?}");
}

proptest! {
    #[test]
    fn without_edits_the_bytes_are_the_clients_own(script in script()) {
        for dialect in Dialect::ALL {
            let original = spell(&script, dialect);
            let request = read(&original, dialect);
            let spliced = request.splice(&apply(request.conversation(), Vec::new()).unwrap()).unwrap();
            prop_assert_eq!(spliced, Spliced { bytes: original.into_bytes(), patches: Vec::new() });
        }
    }

    #[test]
    fn edits_of_another_conversation_are_refused(script in script(), texts in prop::collection::vec(text(), 1..4), seed in any::<u64>()) {
        for dialect in Dialect::ALL {
            let request = read(&spell(&script, dialect), dialect);
            let mut other = request.conversation().clone();
            other.messages.insert(0, Message::text(Role::User, "another beginning"));
            let applied = edits(&other, &texts, seed);
            let refused = request.splice(&applied).unwrap_err();
            prop_assert!(matches!(refused, SpliceError::Refused(_) | SpliceError::AnotherConversation));
        }
    }

    #[test]
    fn no_bytes_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in any::<prop::sample::Index>(), script in script()) {
        let _ = Request::read(bytes, Format::Detect, DuplicateKeys::Refuse);
        for dialect in Dialect::ALL {
            let whole = spell(&script, dialect).into_bytes();
            let cut = &whole[..cut.index(whole.len())];
            let result = Request::read(cut.to_vec(), Format::Given(dialect), DuplicateKeys::Refuse);
            if script.container != Container::Lines {
                prop_assert!(result.is_err());
            }
        }
    }

    #[test]
    fn a_second_key_is_refused_or_carried(script in script(), dialect in prop::sample::select(Dialect::ALL.to_vec())) {
        let text = spell(&script, dialect);
        let Some(brace) = text.find('{') else { return Err(TestCaseError::fail("no object")) };
        let twice = format!("{}\"x\":0,\"\\u0078\":0,{}", &text[..=brace], &text[brace + 1..]);
        let read = |duplicates| Request::read(twice.clone().into_bytes(), Format::Given(dialect), duplicates);
        match read(DuplicateKeys::Refuse) {
            Err(ReadError::DuplicateKey { key, position }) => {
                prop_assert_eq!((key.as_str(), position.offset), ("x", brace + 7));
            }
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        }
        let carried = read(DuplicateKeys::Carry).unwrap();
        let spliced = carried.splice(&apply(carried.conversation(), Vec::new()).unwrap()).unwrap();
        prop_assert_eq!(spliced.bytes, twice.into_bytes());
    }
}

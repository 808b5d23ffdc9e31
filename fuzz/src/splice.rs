//! Whatever `apply` accepts has its place in the bytes, reads as it was meant, and can be undone.

use epitome_core::model::{Block, Conversation, Role};
use epitome_wire::{Container, Dialect, Request, SpliceError, Spliced, unsplice};

use crate::wild::{Texts, Wild};

pub fn check_splice(bytes: &[u8]) {
    let mut wild = Wild::new(bytes, Texts::Short);
    let Some(sample) = wild.request() else { return };
    let applied = wild.edits(sample.request.conversation());
    let spliced = match sample.request.splice(&applied) {
        Ok(spliced) => spliced,
        // Documented: lines that hold `messages` or `input` must not be left alone.
        Err(SpliceError::NotLines) if sample.request.container() == Container::Lines => return,
        Err(error) => panic!("{error}: {:?}\n{}", applied.edits(), sample.text()),
    };
    check_undone(&sample.request, &spliced);
    let Ok(after) = sample.read_again(spliced.bytes.clone()) else {
        panic!("cannot be read: {:?}\n{}\n{}", applied.edits(), sample.text(), String::from_utf8_lossy(&spliced.bytes));
    };
    let dialect = sample.request.dialect();
    let (found, expected) = (comparable(after.conversation(), dialect), comparable(applied.conversation(), dialect));
    assert!(
        found == expected && after.container() == sample.request.container(),
        "{:?}\n{}\n{}\n{found:#?}\n{expected:#?}",
        applied.edits(),
        sample.text(),
        String::from_utf8_lossy(&spliced.bytes)
    );
}

/// What differs is in order, no two patches touch, and undoing them gives the client's bytes.
pub(crate) fn check_undone(request: &Request, spliced: &Spliced) {
    let original = request.bytes();
    let pieces: Vec<_> =
        spliced.patches.iter().map(|patch| (patch.replacement.clone(), &original[patch.original.clone()])).collect();
    assert_eq!(unsplice(&spliced.bytes, &pieces).as_deref(), Some(original));
    for pair in spliced.patches.windows(2) {
        assert!(pair[0].original.end < pair[1].original.start && pair[0].replacement.end < pair[1].replacement.start);
    }
    if request.container() != Container::Lines {
        let text = std::str::from_utf8(&spliced.bytes).expect("we write UTF-8");
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str::<serde::de::IgnoredAny>(text).expect("we write JSON");
    }
}

/// Chat and Responses put a note into a prompt that is a string, so texts of a prompt are compared as one.
fn comparable(conversation: &Conversation, dialect: Dialect) -> Conversation {
    let mut conversation = conversation.clone();
    if dialect == Dialect::AnthropicMessages {
        return conversation;
    }
    join(&mut conversation.system);
    let prompts = conversation.messages.iter_mut().filter(|message| message.role == Role::System);
    prompts.for_each(|message| join(&mut message.blocks));
    conversation
}

fn join(blocks: &mut Vec<Block>) {
    let mut joined: Vec<Block> = Vec::new();
    for block in blocks.drain(..) {
        match (joined.last_mut(), &block) {
            (Some(Block::Text(last)), Block::Text(text)) => *last = format!("{last}\n\n{text}").into(),
            _ => joined.push(block),
        }
    }
    *blocks = joined;
}

//! Markers in requests however they are spelled: never too many, in an order that is accepted, and nothing else moves.

#[expect(dead_code, reason = "what edits need is not needed here")]
mod requests;

use epitome_core::cache::{
    Breakpoint, End, Memory, Place, ProviderCache, Rules, Section, Ttl, Unmarkable, Wanted, stateful, system_and_3,
};
use epitome_core::tokens::Tokens;
use epitome_wire::caching::{Cached, Layout};
use epitome_wire::{Container, Dialect, DuplicateKeys, Format, Request, unsplice};
use proptest::prelude::*;
use requests::{script, spell};

fn read(bytes: &[u8], dialect: Dialect) -> Request {
    Request::read(bytes.to_vec(), Format::Given(dialect), DuplicateKeys::Refuse).expect("a request")
}

/// Puts markers in and looks at everything else. How many there were.
fn check(own: &Request, layout: Layout, plan: impl Fn(&Cached) -> Vec<Breakpoint>) -> usize {
    let cached = own.cached(layout);
    let added = plan(&cached);
    let spliced = own.mark(&cached, &added).expect("marked");
    let marked = read(&spliced.bytes, own.dialect());
    let again = marked.cached(layout);
    // To the byte: what was put in, taken out, is what was there.
    let pieces = spliced.patches.iter().map(|patch| (patch.replacement.clone(), &own.bytes()[patch.original.clone()]));
    let pieces: Vec<_> = pieces.collect();
    assert_eq!(unsplice(&spliced.bytes, &pieces).as_deref(), Some(own.bytes()));
    // To the meaning: the same conversation.
    assert_eq!(marked.conversation().messages, own.conversation().messages);
    assert_eq!(marked.conversation().system, own.conversation().system);
    // To the cache: the same blocks by the same names. A tool is named by its bytes until it has a marker.
    let is_tool = |added: &Breakpoint| match added.place {
        Place::Block(index) => cached.prompt.blocks[index].section == Section::Tools,
        Place::Automatic => false,
    };
    if !added.iter().any(is_tool) {
        let names = |cached: &Cached| cached.prompt.blocks.iter().map(|block| block.prefix).collect::<Vec<_>>();
        assert_eq!(names(&cached), names(&again));
    }
    if added.is_empty() {
        assert_eq!(spliced.bytes, own.bytes());
    } else {
        assert_eq!(again.prompt.markers(), cached.prompt.markers() + added.len());
        assert!(again.prompt.markers() <= 4);
    }
    added.len()
}

#[test]
fn nothing_but_markers_moves() {
    let markers = std::cell::Cell::new([0; 3]);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&(script(), any::<bool>()), |(script, long)| {
            let ttl = if long { Ttl::Long } else { Ttl::Short };
            for (dialect, layouts) in [
                (Dialect::AnthropicMessages, &[Layout::Messages][..]),
                (Dialect::OpenAiChat, &[Layout::ChatNative, Layout::OpenRouter, Layout::OpenAi]),
                (Dialect::OpenAiResponses, &[Layout::OpenAi]),
            ] {
                let text = spell(&script, dialect);
                let own = read(text.as_bytes(), dialect);
                for layout in layouts {
                    let unmarkable = if long { Unmarkable::Counted } else { Unmarkable::Skipped };
                    let rules = Rules { unmarkable, ..Rules::anthropic(Tokens(0)) };
                    let three = check(&own, *layout, |cached| system_and_3(&cached.prompt, &rules, ttl));
                    let end = if own.container() == Container::Object { End::Automatic } else { End::Walk };
                    let wanted = Wanted { ttl, prefix_after_pause: Ttl::Long, end };
                    let memory = Memory { cache: &ProviderCache::default(), boundary: Some(1), now_ms: 0 };
                    let remembered = check(&own, *layout, |cached| stateful(&cached.prompt, &rules, memory, wanted));
                    let mut sums = markers.get();
                    sums[dialect as usize] += three + remembered;
                    markers.set(sums);
                }
            }
            Ok(())
        })
        .expect("nothing else moves");
    assert!(markers.get().iter().all(|markers| *markers > 100), "{:?}", markers.get());
}

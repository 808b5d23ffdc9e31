//! Prompts are written as words: `T` a tool, `S` a system block, `u1` a block of message 1, `i1` an instruction there. Behind
//! it `!` is a client's marker for five minutes, `!!` one for an hour, and `-` a block that cannot carry any.

use proptest::prelude::*;

use super::*;

const RULES: Rules = Rules::anthropic(Tokens(0));
const MINUTE: u64 = 60_000;

fn prompt(words: &str) -> Prompt {
    let mut prefix = PrefixHash::default();
    let mut automatic = None;
    let mut blocks = Vec::new();
    for word in words.split_whitespace() {
        let name = word.trim_end_matches(['!', '-']);
        let marker = match word.matches('!').count() {
            0 => None,
            1 => Some(Ttl::Short),
            _ => Some(Ttl::Long),
        };
        let number = || name[1..].parse().expect("a number");
        let section = match name.chars().next() {
            Some('T') => Section::Tools,
            Some('S') => Section::System,
            Some('i') => Section::Instruction(number()),
            Some('*') => {
                automatic = marker;
                continue;
            }
            _ => Section::Message(number()),
        };
        prefix = prefix.followed_by(name.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte)));
        blocks.push(Block { section, tokens: Tokens(1_000), prefix, may_carry: !word.contains('-'), marker });
    }
    Prompt { blocks, automatic, nested: 0 }
}

/// The prompt with the markers in it, as it was written; ours are `+` and `++`.
fn shown(words: &str, added: &[Breakpoint]) -> String {
    let sign = |ttl| if ttl == Ttl::Long { "++" } else { "+" };
    let at = |place| added.iter().find(|added| added.place == place).map(|added| sign(added.ttl)).unwrap_or_default();
    let mut index = 0;
    let mut shown: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        if word.starts_with('*') {
            shown.push(word.to_owned());
            continue;
        }
        shown.push(format!("{word}{}", at(Place::Block(index))));
        index += 1;
    }
    let automatic = at(Place::Automatic);
    if !automatic.is_empty() {
        shown.push(format!("*{automatic}"));
    }
    shown.join(" ")
}

#[track_caller]
fn check_system_and_3(words: &str, expected: &str) {
    assert_eq!(shown(words, &system_and_3(&prompt(words), &RULES, Ttl::Short)), expected);
}

#[test]
fn the_system_prompt_and_the_last_three_messages_are_marked() {
    check_system_and_3("T S S u1 a2 u3 u3 a4", "T S S+ u1 a2+ u3 u3+ a4+");
    check_system_and_3("S u1", "S+ u1+");
    check_system_and_3("u1", "u1+");
    check_system_and_3("T", "T");
    check_system_and_3("", "");
}

#[test]
fn instructions_are_no_messages_and_thinking_carries_no_marker() {
    check_system_and_3("S u1 a2 i3 u4 a5 a5- i6", "S+ u1 a2+ i3 u4+ a5+ a5- i6");
}

#[test]
fn a_message_that_can_carry_nothing_is_skipped_or_counted() {
    check_system_and_3("S u1 a2 t3- a4 t5-", "S+ u1+ a2+ t3- a4+ t5-");
    let words = "S u1 a2 t3- a4 t5-";
    let counted = Rules { unmarkable: Unmarkable::Counted, ..RULES };
    assert_eq!(shown(words, &system_and_3(&prompt(words), &counted, Ttl::Short)), "S+ u1 a2 t3- a4+ t5-");
}

#[test]
fn the_clients_markers_stay_and_only_free_slots_are_used() {
    check_system_and_3("S! S! u1 a2 u3 a4!", "S! S! u1 a2 u3+ a4!");
    check_system_and_3("S! u1! a2! u3!", "S! u1! a2! u3!");
    check_system_and_3("S u1! a2! u3! a4", "S u1! a2! u3! a4+");
    check_system_and_3("S! S! S! u1! a2! u3", "S! S! S! u1! a2! u3");
    check_system_and_3("S u1 a2 u3 *!", "S+ u1+ a2+ u3 *!");
}

#[test]
fn markers_inside_blocks_take_slots_too() {
    let nested = |nested| Prompt { nested, ..prompt("S u1! a2 u3") };
    assert_eq!(system_and_3(&nested(2), &RULES, Ttl::Short).len(), 1);
    assert_eq!(system_and_3(&nested(3), &RULES, Ttl::Short), []);
}

#[test]
fn sizes_can_be_told_from_their_sum() {
    for total in [0, 1, 3_999, 12_345] {
        assert_eq!(prompt("S u1 a2 u3").scaled_to(Tokens(total)).tokens(), Tokens(total));
    }
}

#[test]
fn what_lives_longer_stands_before_what_lives_shorter() {
    let long = |words: &str| shown(words, &system_and_3(&prompt(words), &RULES, Ttl::Long));
    assert_eq!(long("S u1 a2 u3"), "S++ u1++ a2++ u3++");
    assert_eq!(long("S! u1 a2 u3"), "S! u1+ a2+ u3+");
    check_system_and_3("S u1!! a2 u3", "S++ u1!! a2+ u3+");
    // The client's own order is refused anyway.
    check_system_and_3("S! u1 a2!! u3", "S! u1 a2!! u3+");
}

const WANTED: Wanted = Wanted { ttl: Ttl::Short, prefix_after_pause: Ttl::Long, end: End::Walk };

/// Plays requests of one session, half a minute apart or six minutes where `...` stands between them, and shows the last one.
fn played(requests: &[&str], wanted: Wanted) -> String {
    let mut cache = ProviderCache::default();
    let mut now_ms = 0;
    let mut last = String::new();
    for words in requests {
        if *words == "..." {
            now_ms += 6 * MINUTE;
            continue;
        }
        now_ms += MINUTE / 2;
        let prompt = prompt(words);
        let added = stateful(&prompt, &RULES, Memory { cache: &cache, boundary: None, now_ms }, wanted);
        cache.request(&prompt.with(&added), &RULES, now_ms);
        last = shown(words, &added);
    }
    last
}

#[track_caller]
fn check_stateful(requests: &[&str], expected: &str) {
    assert_eq!(played(requests, WANTED), expected);
}

#[test]
fn a_session_is_marked_where_it_grows_and_where_it_was_written() {
    check_stateful(&["T S u1"], "T S+ u1+");
    check_stateful(&["T S u1", "T S u1 a2 u3"], "T S+ u1+ a2 u3+");
    check_stateful(&["T S u1", "T S u1 a2 u3", "T S u1 a2 u3 a4 u5"], "T S+ u1 a2 u3+ a4 u5+");
}

#[test]
fn five_minutes_are_five_minutes_until_a_longer_pause_was_seen() {
    check_stateful(&["T S u1", "...", "T S u1 a2 u3"], "T S++ u1 a2 u3+");
    check_stateful(&["T S u1", "...", "T S u1 a2 u3", "T S u1 a2 u3 a4 u5"], "T S++ u1 a2 u3+ a4 u5+");
    let short = Wanted { prefix_after_pause: Ttl::Short, ..WANTED };
    assert_eq!(played(&["T S u1", "...", "T S u1 a2 u3"], short), "T S+ u1 a2 u3+");
    let hour = Wanted { ttl: Ttl::Long, prefix_after_pause: Ttl::Short, ..WANTED };
    assert_eq!(played(&["T S u1"], hour), "T S++ u1++");
}

#[test]
fn what_nobody_remembers_is_guessed_from_the_messages() {
    check_stateful(&["T S u1 a2 u3 a4 u5"], "T S+ u1 a2 u3+ a4+ u5+");
}

#[test]
fn a_rewind_and_a_fork_are_found_again() {
    check_stateful(&["S u1 a2 u3", "S u1 a2 u3 a4 u5", "S u1 a2 u3 a4 u7"], "S+ u1 a2 u3+ a4 u7+");
}

#[test]
fn many_parallel_calls_do_not_lose_what_was_written() {
    let fan_out: Vec<String> = (0..30).map(|_| "a4".to_owned()).chain((0..30).map(|_| "u5".to_owned())).collect();
    let wide = format!("S u1 a2 u3 {}", fan_out.join(" "));
    let last = played(&["S u1", "S u1 a2 u3", &wide], WANTED);
    assert!(last.starts_with("S+ u1 a2 u3+ a4 ") && last.ends_with(" u5 u5+"), "{last}");
    // The last block alone does not find it.
    let mut cache = ProviderCache::default();
    cache.request(&prompt("S u1 a2 u3!"), &RULES, 0);
    let alone = wide.clone() + "!";
    assert_eq!(cache.request(&prompt(&alone), &RULES, 0).read, Tokens(0));
    assert_eq!(cache.clone().request(&prompt(&wide.replacen("u3", "u3!", 1)), &RULES, 0).read, Tokens(4_000));
}

#[test]
fn a_client_with_all_the_markers_that_it_needs_is_left_alone() {
    check_stateful(&["T S! u1!", "T S! u1 a2 u3!"], "T S! u1 a2 u3!");
    // As Claude Code marks.
    check_stateful(&["T S S! S! u1!", "T S S! S! u1 a2 u3!"], "T S S! S! u1 a2 u3!");
    check_stateful(&["S! S! u1! a2!", "...", "S! S! u1 a2! u3!"], "S! S! u1 a2! u3!");
}

#[test]
fn after_a_pause_the_tools_live_longer_where_the_clients_system_prompt_lives_shortly() {
    check_stateful(&["T T S! S! u1!", "...", "T T S! S! u1!"], "T T++ S! S! u1!");
    check_stateful(&["T T! S! S! u1!", "...", "T T! S! S! u1!"], "T T! S! S! u1!");
}

#[test]
fn a_marker_on_the_tools_alone_does_not_keep_the_system_prompt() {
    check_stateful(&["T! S u1!"], "T! S+ u1!");
    check_stateful(&["T!! S u1!", "...", "T!! S u1!"], "T!! S++ u1!");
}

#[test]
fn an_end_that_cannot_be_marked_is_left_to_the_provider_if_it_does_that() {
    let words = "S u1 a2 t3-";
    check_stateful(&[words], "S+ u1+ a2+ t3-");
    assert_eq!(played(&[words], Wanted { end: End::Automatic, ..WANTED }), "S+ u1+ a2+ t3- *+");
}

#[test]
fn the_boundary_of_a_compaction_is_marked() {
    let words = "T S s1 u2 a3 u4";
    let cache = ProviderCache::default();
    let memory = Memory { cache: &cache, boundary: Some(2), now_ms: 0 };
    assert_eq!(shown(words, &stateful(&prompt(words), &RULES, memory, WANTED)), "T S+ s1+ u2 a3+ u4+");
}

#[test]
fn what_is_too_short_to_be_cached_is_not_marked() {
    let words = "S u1 a2 u3";
    let cache = ProviderCache::default();
    let memory = Memory { cache: &cache, boundary: None, now_ms: 0 };
    let rules = |minimum| Rules::anthropic(Tokens(minimum));
    assert_eq!(shown(words, &stateful(&prompt(words), &rules(3_000), memory, WANTED)), "S u1 a2+ u3+");
    assert_eq!(shown(words, &stateful(&prompt(words), &rules(4_001), memory, WANTED)), words);
}

#[track_caller]
fn check_billed(requests: &[(u64, &str)], read: u64, written_short: u64, written_long: u64, plain: u64) {
    let mut cache = ProviderCache::default();
    let mut billed = Billed::default();
    for (minute, words) in requests {
        billed = cache.request(&prompt(words), &RULES, minute * MINUTE);
    }
    let tokens = |thousands| Tokens(thousands * 1_000);
    let expected = Billed {
        read: tokens(read),
        written_short: tokens(written_short),
        written_long: tokens(written_long),
        plain: tokens(plain),
    };
    assert_eq!(billed, expected);
}

#[test]
fn a_request_is_billed_as_the_provider_says() {
    check_billed(&[(0, "S u1")], 0, 0, 0, 2);
    check_billed(&[(0, "S!! u1 a2! u3")], 0, 2, 1, 1);
    check_billed(&[(0, "S!! u1!"), (1, "S!! u1 a2!")], 2, 1, 0, 0);
    // Five minutes are over for one and not for the other.
    check_billed(&[(0, "S!! u1!"), (6, "S!! u1 a2!")], 1, 2, 0, 0);
    check_billed(&[(0, "S!! u1!"), (61, "S!! u1 a2!")], 0, 2, 1, 0);
    // Using it keeps it.
    check_billed(&[(0, "S!"), (4, "S!"), (8, "S!")], 1, 0, 0, 0);
    // Another list of tools loses everything.
    check_billed(&[(0, "T S! u1!"), (1, "T T S! u1!")], 0, 4, 0, 0);
    check_billed(&[(0, "S u1 *!"), (1, "S u1 a2 *!")], 2, 1, 0, 0);
}

#[test]
fn a_cache_without_markers_reads_in_steps() {
    let rules = Rules::automatic();
    let mut cache = ProviderCache::default();
    assert_eq!(cache.request(&prompt("S u1"), &rules, 0).read, Tokens(0));
    assert_eq!(cache.request(&prompt("S u1 a2"), &rules, MINUTE).read, Tokens(1_920));
    assert_eq!(cache.request(&prompt("S u3"), &rules, MINUTE).read, Tokens(0), "too little in common");
    assert_eq!(cache.request(&prompt("S u3 a4"), &rules, 30 * MINUTE).read, Tokens(0), "too late");
}

fn words() -> impl Strategy<Value = String> {
    let word = (prop::sample::select(vec!["u", "a", "i"]), prop::sample::select(vec!["", "", "", "-", "!", "!!"]));
    let fixed = prop::collection::vec(prop::sample::select(vec!["T", "T!", "T!!", "S", "S-", "S!", "S!!"]), 0..4);
    let ends = prop::sample::select(vec!["", "", "*!", "*!!"]);
    (fixed, prop::collection::vec(word, 0..40), ends).prop_map(|(mut fixed, messages, end)| {
        fixed.sort_unstable_by_key(|word| !word.starts_with('T'));
        let messages = messages.into_iter().enumerate();
        let messages = messages.map(|(number, (speaker, sign))| format!("{speaker}{number}{sign}"));
        fixed.into_iter().map(str::to_owned).chain(messages).chain([end.to_owned()]).collect::<Vec<_>>().join(" ")
    })
}

proptest! {
    /// Whatever a client sends, we are not the reason that it is refused.
    #[test]
    fn nothing_is_added_that_a_provider_refuses(
        words in words(),
        long in any::<bool>(),
        paused in any::<bool>(),
        lookback in 1usize..30,
    ) {
        let ttl = if long { Ttl::Long } else { Ttl::Short };
        let rules = Rules { caching: Caching::Marked { lookback }, ..RULES };
        let own = prompt(&words);
        let in_order = |prompt: &Prompt| prompt.marked().is_sorted_by(|(_, one), (_, next)| one >= next);
        let mut cache = ProviderCache::default();
        if paused {
            cache.request(&prompt("S"), &rules, 0);
        }
        let memory = Memory { cache: &cache, boundary: Some(3), now_ms: 6 * MINUTE };
        for end in [End::Walk, End::Automatic] {
            let wanted = Wanted { ttl, prefix_after_pause: Ttl::Long, end };
            for added in [system_and_3(&own, &rules, ttl), stateful(&own, &rules, memory, wanted)] {
                let marked = own.clone().with(&added);
                prop_assert!(added.is_empty() || marked.markers() <= 4);
                prop_assert!(!in_order(&own) || in_order(&marked), "{}", shown(&words, &added));
                for breakpoint in &added {
                    if let Place::Block(index) = breakpoint.place {
                        let block = own.blocks[index];
                        prop_assert!(block.may_carry && block.marker.is_none());
                    }
                }
            }
        }
    }
}

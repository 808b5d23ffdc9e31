//! Promises about what edits removed, and about finding it.

use epitome_core::fingerprint::ContentHash;

use super::*;
use crate::records::{EntryId, Original, OriginalKind};
use crate::search::EXCERPT;
use crate::store::StoreError;

pub(crate) async fn an_original_comes_back_to_the_byte(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("bytes", 5));
    let every_byte: Vec<u8> = (0..=255).collect();
    let message = message("a \u{0} and a 🦀");
    let removed = [
        output(""),
        output("a text\r\nwith an end\n"),
        Original::new(OriginalKind::Text, every_byte, "no words of these bytes".to_owned()),
        Original::new(OriginalKind::Message, message.bytes, message.words),
        output(&"long ".repeat(200_000)),
    ];
    let entry = compaction(&session("one"), &messages, 4, "bytes").removing(&removed);
    store(shared, &tenant, &messages, None, entry).await;
    for original in &removed {
        assert_eq!(shared.original(&tenant, original.hash).await.unwrap().as_ref(), Some(original));
    }
    assert_eq!(shared.original(&tenant, ContentHash::of("never stored")).await.unwrap(), None);
}

pub(crate) async fn an_original_is_found_by_the_beginning_of_its_name(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("names", 5));
    // Two names that begin alike, as nobody can make on purpose.
    let alike = |last: u8| {
        let mut bytes = [0xab; 32];
        bytes[31] = last;
        Original { hash: ContentHash::from_bytes(bytes), ..output(&format!("text {last}")) }
    };
    let removed = [alike(1), alike(2), output("another")];
    let entry = compaction(&session("one"), &messages, 4, "names").removing(&removed);
    store(shared, &tenant, &messages, None, entry).await;
    let named = async |begins: &str| shared.originals(&tenant, begins).await.unwrap();
    assert_eq!(named("abababab").await, removed[..2]);
    assert_eq!(named("ABababab").await, removed[..2]);
    assert_eq!(named(&removed[1].hash.to_string()).await, removed[1..2]);
    assert_eq!(named(&removed[2].hash.short()).await, removed[2..]);
    for nothing in ["", "abababa", "abababac", "%bababab", "_bababab", "abababab'", &"a".repeat(65), "ababababé"] {
        assert_eq!(named(nothing).await, [], "{nothing}");
    }
}

pub(crate) async fn what_a_compaction_removed_comes_in_its_order(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("order", 9));
    let [a, b, c] = ["a", "b", "c"].map(output);
    let removed = [c.clone(), a.clone(), b.clone(), a.clone()];
    let first = compaction(&session("one"), &messages, 4, "first").removing(&removed);
    let first = store(shared, &tenant, &messages, None, first).await;
    let second = compaction(&session("one"), &messages, 6, "second").removing(std::slice::from_ref(&b));
    let second = store(shared, &tenant, &messages, Some(first.id), second).await;
    assert_eq!(shared.removed_by(&tenant, first.id).await.unwrap(), removed);
    assert_eq!(shared.removed_by(&tenant, second.id).await.unwrap(), [b]);
    assert_eq!(shared.removed_by(&tenant, EntryId::from_bytes([9; 16])).await.unwrap(), []);
}

pub(crate) async fn the_same_original_is_stored_once(shared: &Shared) {
    let tenant = tenant();
    let text = output(&"the same in every session\n".repeat(50));
    for name in ["one", "two", "three"] {
        let messages = history(name, 5);
        let entry = compaction(&session(name), &messages, 4, name).removing(&[text.clone(), text.clone()]);
        store(shared, &tenant, &messages, None, entry).await;
    }
    let holdings = shared.holdings(&tenant).await.unwrap();
    assert_eq!((holdings.sessions, holdings.entries, holdings.originals), (3, 3, 1));
    assert!((1..text.bytes.len() as u64).contains(&holdings.bytes), "{holdings:?}");
    assert_eq!(found(shared, &tenant, &literal("EVERY session")).await.len(), 3);
}

pub(crate) async fn every_literal_is_found(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("literals", 5));
    // Words that query languages read as something else, and letters that indexes do not know.
    let literals = [
        "a-b",
        "foo OR bar",
        "NOT",
        "NEAR(x y)",
        "\"quoted\"",
        "it's",
        "100%",
        "under_score",
        "back\\slash",
        "col:umn",
        "^caret*",
        "(paren",
        "{brace}",
        "$1",
        "?2",
        "--",
        ";",
        "x",
        "é",
        "東",
        "東京",
        "東京都庁",
        "한국어",
        "🦀",
        "👩‍👩‍👧‍👦",
        "مرحبا",
        "ǅ",
        "ſtraße",
        "ẞ",
        "K",
        "Ωμέγα",
        "İ",
        "tab\there",
        "line\nbreak",
        "nul\0inside",
        "e\u{301}",
        "\u{202e}rtl",
        "\u{fffe}",
        "\u{10ffff}!",
        " two  spaces ",
    ];
    let removed: Vec<Original> = literals.iter().map(|text| output(&format!("«{text}»"))).collect();
    let entry = compaction(&session("one"), &messages, 4, "literals").removing(&removed);
    store(shared, &tenant, &messages, None, entry).await;
    let one_case = |text: &str, other: fn(char) -> String| {
        let letters = text.chars().map(|letter| Some(other(letter)).filter(|it| it.chars().count() == 1));
        letters.zip(text.chars()).map(|(other, letter)| other.unwrap_or(letter.to_string())).collect::<String>()
    };
    for (text, original) in literals.iter().zip(&removed) {
        let upper = one_case(text, |letter| letter.to_uppercase().collect());
        let lower = one_case(text, |letter| letter.to_lowercase().collect());
        for asked in [text.to_string(), upper, lower, format!("«{text}»")] {
            let found = found(shared, &tenant, &literal(&asked)).await;
            assert!(found.contains(&("one".to_owned(), original.hash)), "{asked:?} is not found");
        }
    }
    for nothing in ["", "no such thing", "zz", "東都", "«»"] {
        assert_eq!(found(shared, &tenant, &literal(nothing)).await, [], "{nothing:?}");
    }
}

pub(crate) async fn a_literal_is_no_pattern(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("no pattern", 5));
    let removed = ["abc", "a.c", "a%c", "a_c", "a*c"].map(output);
    let entry = compaction(&session("one"), &messages, 4, "no pattern").removing(&removed);
    store(shared, &tenant, &messages, None, entry).await;
    for original in &removed {
        let expected = [("one".to_owned(), original.hash)];
        assert_eq!(found(shared, &tenant, &literal(&original.words)).await, expected, "{}", original.words);
    }
}

pub(crate) async fn patterns_are_found_and_bad_ones_refused(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("patterns", 5));
    let removed = ["error: E0308\nwarning: unused", "東京 2026-11-16", "nothing"].map(output);
    let entry = compaction(&session("one"), &messages, 4, "patterns").removing(&removed);
    store(shared, &tenant, &messages, None, entry).await;
    for (asked, expected) in [
        (r"E\d{4}", &removed[..1]),
        (r"^warning: \w+$", &removed[..1]),
        (r"\p{Han}+ \d{4}-\d\d", &removed[1..2]),
        (r"(?i)NOTH", &removed[2..]),
        (r"NOTH", &[]),
    ] {
        let expected: Vec<_> = expected.iter().map(|original| ("one".to_owned(), original.hash)).collect();
        assert_eq!(found(shared, &tenant, &pattern(asked)).await, expected, "{asked}");
    }
    for bad in ["(", "[z-a]", "(?=look)", "a{99999999}"] {
        let refused = shared.search(&tenant, &pattern(bad), 10).await;
        assert!(matches!(refused, Err(StoreError::BadPattern { .. })), "{bad}: {refused:?}");
    }
}

pub(crate) async fn found_things_come_newest_session_first_and_no_more_than_asked(shared: &Shared) {
    let tenant = tenant();
    let both = output("needle in both");
    for (name, at_ms) in [("old", 1_000), ("new", 3_000), ("middle", 2_000)] {
        let messages = history(name, 5);
        let removed = [output(&format!("first needle of {name}")), both.clone(), output("hay")];
        let entry = compaction(&session(name), &messages, 4, name).removing(&removed).at(at_ms);
        store(shared, &tenant, &messages, None, entry).await;
    }
    let expected: Vec<_> = ["new", "middle", "old"]
        .iter()
        .flat_map(|name| {
            [output(&format!("first needle of {name}")), both.clone()].map(|one| (name.to_string(), one.hash))
        })
        .collect();
    let mut all = found(shared, &tenant, &literal("needle")).await;
    // Within a session they come in the order in which they were stored first.
    for two in all.chunks_mut(2) {
        two.sort_by_key(|(_, hash)| *hash == both.hash);
    }
    assert_eq!(all, expected);
    for most in [0, 1, 3, 6, 100] {
        assert_eq!(shared.search(&tenant, &literal("needle"), most).await.unwrap().len(), most.min(6));
        assert_eq!(shared.search(&tenant, &literal("e"), most).await.unwrap().len(), most.min(6));
        assert_eq!(shared.search(&tenant, &pattern("n.edle"), most).await.unwrap().len(), most.min(6));
    }
}

pub(crate) async fn an_excerpt_is_one_line(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("excerpt", 5));
    let long = format!("before\n{}NEEDLE{}\nbehind", "é".repeat(5_000), "京".repeat(5_000));
    let entry = compaction(&session("one"), &messages, 4, "excerpt").removing(&[output(&long)]);
    store(shared, &tenant, &messages, None, entry).await;
    for query in [literal("needle"), pattern("NE+DLE")] {
        let found = shared.search(&tenant, &query, 10).await.unwrap();
        let [found] = &found[..] else { panic!("{} are found", found.len()) };
        assert_eq!(found.kind, OriginalKind::Text);
        assert!(found.excerpt.contains("éNEEDLE京"), "{}", found.excerpt);
        assert!(found.excerpt.chars().count() <= EXCERPT && !found.excerpt.contains('\n'), "{}", found.excerpt);
    }
}

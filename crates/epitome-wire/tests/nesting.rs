//! However deeply something is nested, reading it needs no deeper stack: the process of all clients would end with it.

#[expect(unreachable_pub, reason = "the fuzzer's crate offers it to its targets")]
#[path = "../../../fuzz/src/nest.rs"]
mod nest;

use nest::{JSON_LEVELS, LEVELS, check_json_of, check_nest, check_text, nested};

/// Far less than a thread of the gateway has, and in a debug build.
const STACK: usize = 512 * 1024;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    thread.join().expect("nothing panicked");
}

#[test]
fn no_depth_of_a_request_or_an_answer_is_too_deep() {
    on_a_small_stack(|| {
        for level in JSON_LEVELS {
            // The limits of other readers, and what once ended the process.
            for levels in [1, 16, 17, 127, 128, 129, 1_000, 16_300, 50_000] {
                check_json_of(*level, levels, "1");
            }
        }
    });
}

#[test]
fn no_depth_of_what_a_tool_printed_is_too_deep() {
    on_a_small_stack(|| {
        for level in LEVELS {
            for levels in [10, 130, 6_000] {
                check_text(&nested(*level, levels, "x"));
                // Never closed.
                check_text(&nested((level.0, ""), levels, ""));
            }
        }
    });
}

#[test]
fn the_seeds_of_the_fuzzer_pass() {
    on_a_small_stack(|| {
        let seeds = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/nest")).expect("seeds");
        let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.expect("a seed").path()).expect("a seed")).collect();
        assert!(!seeds.is_empty());
        seeds.iter().for_each(|seed| check_nest(seed));
    });
}

use crate::outputs::testing::{check, made};

fn log(commits: usize, stat: bool) -> String {
    let subjects = ["Add a field to orders", "Rename a field of orders", "Test orders again"];
    (0..commits)
        .map(|n| {
            let author = if n == 21 { "Bob <bob@example.org>" } else { "Ann Lee <ann@example.org>" };
            let subject = if n == 30 { "Turn off the signature check" } else { subjects[n % 3] };
            let files = match (stat, n) {
                (false, _) => String::new(),
                (true, 12) => "\n deploy/prod.key | 3 +++\n 1 file changed, 3 insertions(+)\n".into(),
                (true, 25) => "\n src/orders.py | 9000 ++++\n 1 file changed, 9000 insertions(+), 12 deletions(-)\n".into(),
                (true, _) => format!("\n src/orders.py | {0} +-\n tests/orders.py | 2 +\n 2 files changed, {0} insertions(+), 2 deletions(-)\n", n % 7 + 1),
            };
            format!("commit {n:040x}\nAuthor: {author}\nDate:   Mon Sep {} 08:00:00 2025 +0200\n\n    {subject} {n}\n\n    Said at length in a second line.\n{files}\n", 28 - n % 28)
        })
        .collect()
}

#[test]
fn commits_are_counted_and_the_odd_ones_kept() {
    insta::assert_snapshot!(check("git log", &log(50, false)), @"
    [digest of history: 87 of 399 lines kept, 2,367 tokens; original c484e478c05f]
    50 commits, Mon Sep 1 08:00:00 2025 +0200–Mon Sep 28 08:00:00 2025 +0200, by Ann Lee 49, Bob 1
    00000000 Add a field to orders 0
    00000000 Rename a field of orders 1
    00000000 Test orders again 2
    00000000 Add a field to orders 3
    00000000 Rename a field of orders 4
    00000000 Test orders again 5
    00000000 Add a field to orders 6
    00000000 Bob Mon Sep 7 08:00:00 2025 +0200 Add a field to orders 21
    00000000 Ann Lee Mon Sep 26 08:00:00 2025 +0200 Turn off the signature check 30
    00000000 Add a field to orders 48
    00000000 Rename a field of orders 49
    ");
}

#[test]
fn blank_lines_before_the_first_commit_hide_no_history() {
    assert_eq!(made("", "git log", &format!("\n\n{}", log(30, false))).map(|digest| digest.kind), Some("history"));
}

#[test]
fn a_commit_of_an_odd_size_or_file_is_odd() {
    insta::assert_snapshot!(check("git log --stat", &log(50, true)), @"
    [digest of history: 82 of 597 lines kept, 3,554 tokens; original 48ab19c3c0e6]
    50 commits, Mon Sep 1 08:00:00 2025 +0200–Mon Sep 28 08:00:00 2025 +0200, by Ann Lee 49, Bob 1, +9189 −108
    most often changed: src/orders.py 49, tests/orders.py 48, deploy/prod.key 1
    00000000 Add a field to orders 0 (+1 −2)
    00000000 Rename a field of orders 1 (+2 −2)
    00000000 Test orders again 2 (+3 −2)
    00000000 Ann Lee Mon Sep 16 08:00:00 2025 +0200 Add a field to orders 12 (+3 −0) [deploy/prod.key]
    00000000 Bob Mon Sep 7 08:00:00 2025 +0200 Add a field to orders 21 (+1 −2)
    00000000 Ann Lee Mon Sep 3 08:00:00 2025 +0200 Rename a field of orders 25 (+9000 −12)
    00000000 Ann Lee Mon Sep 26 08:00:00 2025 +0200 Turn off the signature check 30 (+3 −2)
    ");
}

#[test]
fn one_line_for_each_commit_will_do() {
    let text: String = (0..90)
        .map(|n| {
            let sort = ["fix", "feat", "docs"][n % 3];
            let subject = if n == 50 { "drop support of old keys" } else { "change the list of parts" };
            format!("* {:07x} {sort}(core): {subject} #{n}\n", 0x9abc000 + n * 77)
        })
        .collect();
    insta::assert_snapshot!(check("git log --oneline --graph", &text), @"
    [digest of history: 10 of 90 lines kept, 1,138 tokens; original 11281fa4a256]
    90 commits
    sorts: docs 30, feat 30, fix 30
    9abc000 fix(core): change the list of parts #0
    9abc04d feat(core): change the list of parts #1
    9abc09a docs(core): change the list of parts #2
    9abc0e7 fix(core): change the list of parts #3
    9abc134 feat(core): change the list of parts #4
    9abc181 docs(core): change the list of parts #5
    9abc1ce fix(core): change the list of parts #6
    9abcf0a docs(core): drop support of old keys #50
    9abda78 feat(core): change the list of parts #88
    9abdac5 docs(core): change the list of parts #89
    ");
}

#[test]
fn lines_of_hardly_any_author_are_kept() {
    let text: String = (0..80)
        .map(|n| {
            let (commit, author) =
                if n == 44 { ("77777777", "Bob") } else { (["1a2b3c4d", "5e6f7a8b"][n % 2], "Ann Lee") };
            format!("{commit} (Ann Lee 2025-09-{:02} 08:00:00 +0200 {:3}) let total_{n} = {n};\n", n % 28 + 1, n + 1)
                .replace("(Ann Lee", &format!("({author}"))
        })
        .collect();
    insta::assert_snapshot!(check("git blame a.rs", &text), @"
    [digest of history: 16 of 80 lines kept, 1,354 tokens; original 69eec4720310]
    lines by Ann Lee 79, Bob 1; 2025-09-01 08:00:00 +0200–2025-09-28 08:00:00 +0200; commits 5e6f7a8b 40, 1a2b3c4d 39, 77777777 1
    1: let total_0 = 0;
    2: let total_1 = 1;
    3: let total_2 = 2;
    4: let total_3 = 3;
    5: let total_4 = 4;
    77777777 (Bob 2025-09-17 08:00:00 +0200  45) let total_44 = 44;
    71: let total_70 = 70;
    72: let total_71 = 71;
    73: let total_72 = 72;
    74: let total_73 = 73;
    75: let total_74 = 74;
    76: let total_75 = 75;
    77: let total_76 = 76;
    78: let total_77 = 77;
    79: let total_78 = 78;
    80: let total_79 = 79;
    ");
}

#[test]
fn diffs_and_hashes_of_files_are_no_history() {
    let sums: String = (0..60).map(|n| format!("{n:064x}  dist/file{n}.js\n")).collect();
    assert_ne!(made("", "sha256sum dist/*", &sums).map(|digest| digest.kind), Some("history"));
    let patch = format!("{}diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", log(20, false));
    assert_ne!(made("", "git log -p", &patch).map(|digest| digest.kind), Some("history"));
    assert_eq!(made("", "git log", "").map(|digest| digest.kind), None);
}

use crate::outputs::testing::{check, made};

#[test]
fn the_hit_unlike_all_others_is_kept() {
    let mut text: String = (0..120)
        .map(|n| format!("src/jobs/task_{}.py:{}:    result = client.fetch(url, timeout=30)\n", n % 7, n + 1))
        .collect();
    text.push_str("src/legacy/sync.py:88:    result = client.fetch(url, verify=False)\nsrc/client.py:12:def fetch(url, timeout):\n");
    insta::assert_snapshot!(check("grep -rn fetch src", &text), @"
    [digest of search hits: 3 of 122 lines kept, 1,981 tokens; original 925cd8724ea3]
    122 hits in 9 files: src/jobs/ task_0.py 18, task_1.py 17, task_2.py 17, task_3.py 17, task_4.py 17, task_5.py 17, task_6.py 17; src/ client.py 1; src/legacy/ 1 in 1 file
    src/jobs/task_0.py:1: result = client.fetch(url, timeout=30) [×120]
    src/legacy/sync.py:88:    result = client.fetch(url, verify=False)
    src/client.py:12:def fetch(url, timeout):
    ");
}

#[test]
fn names_that_differ_in_every_hit_hide_no_odd_hit() {
    let name = |n: usize| format!("{}{}", (b'a' + (n % 26) as u8) as char, ["ax", "oru", "ilo", "emp"][n / 26 % 4]);
    let mut text = String::new();
    for n in 0..90 {
        let found = match n % 3 {
            _ if n == 50 => "retry(None)  # HACK: never gives up".to_owned(),
            0 => format!("{}.retry(times={})", name(n), n % 7 + 1),
            1 => format!("def split_{}(self, retry=3):", name(n)),
            _ => format!("result = {}.retry({}, delay={})", name(n), name(n + 7), n % 4 + 1),
        };
        if n % 30 == 0 {
            text.push_str(&format!("services/part{}/client.py\n", n / 30));
        }
        text.push_str(&format!("{}:    {found}\n", n % 30 * 11 + 4));
    }
    insta::assert_snapshot!(check("rg --heading retry", &text), @"
    [digest of search hits: 7 of 93 lines kept, 829 tokens; original a427f4cced67]
    90 hits in 3 files: services/part0/client.py 30, services/part1/client.py 30, services/part2/client.py 30
    services/part0/client.py:4: aax.retry(times=1) [30 like it]
    services/part0/client.py:15: def split_bax(self, retry=3): [30 like it]
    services/part0/client.py:26: result = cax.retry(jax, delay=3) [29 like it]
    services/part0/client.py:48: def split_eax(self, retry=3):
    services/part1/client.py:4: eoru.retry(times=3)
    services/part1/client.py:224: retry(None)  # HACK: never gives up
    services/part2/client.py:4: iilo.retry(times=5)
    ");
}

#[test]
fn hits_under_headings_name_their_file() {
    let mut text = String::from("Found 40 matches\n");
    for file in 0..8 {
        text.push_str(&format!("/home/me/project/packages/worker/file{file}.ts:\n"));
        for line in 0..5 {
            text.push_str(&format!(
                "  Line {}: assert.equal(phaseForStatus('{}'), 'done');\n",
                line * 9 + 3,
                ["a", "b", "c", "d", "e"][line]
            ));
        }
        text.push('\n');
    }
    insta::assert_snapshot!(check("search", &text), @"
    [digest of search hits: 3 of 56 lines kept, 631 tokens; original e765ee7026c8]
    40 hits in 8 files: /home/me/project/packages/worker/file0.ts 5, /home/me/project/packages/worker/file1.ts 5, /home/me/project/packages/worker/file2.ts 5, /home/me/project/packages/worker/file3.ts 5, /home/me/project/packages/worker/file4.ts 5, /home/me/project/packages/worker/file5.ts 5, /home/me/project/packages/worker/file6.ts 5, /home/me/project/packages/worker/file7.ts 5
    file0.ts:3: assert.equal(phaseForStatus('a'), 'done'); [×8]
    file0.ts:12: assert.equal(phaseForStatus('b'), 'done'); [×8]
    file0.ts:21: assert.equal(phaseForStatus('c'), 'done'); [×8]
    ");
}

#[test]
fn lines_around_hits_give_way_to_hits() {
    let mut text = String::new();
    for n in 0..30 {
        text.push_str(&format!(
            "pkg/a.go-{}-\tif err != nil {{\npkg/a.go:{}:\t\treturn wrap(err, {n})\npkg/a.go-{}-\t}}\n--\n",
            n * 10,
            n * 10 + 1,
            n * 10 + 2
        ));
    }
    insta::assert_snapshot!(check("rg -C1 wrap", &text), @"
    [digest of search hits: 1 of 120 lines kept, 627 tokens; original 0f4b32699d1d]
    30 hits in pkg/a.go (+ 90 lines around them)
    pkg/a.go:1:		return wrap(err, 0) [×30]
    ");
}

#[test]
fn errors_of_a_compiler_are_no_hits() {
    let text: String = (0..60).map(|n| format!("src/a{n}.c:{n}:5: error: no member named 'x{n}'\n")).collect();
    assert_ne!(made("", "make", &text).map(|digest| digest.kind), Some("search hits"));
}

#[test]
fn one_searched_file_has_numbers_only() {
    let text: String =
        (0..80).map(|n| format!("{}:\tthis.editorContainer.addChild(this.item{n});\n", n * 3 + 1)).collect();
    insta::assert_snapshot!(check("grep -n editorContainer a.ts", &text), @"
    [digest of search hits: 11 of 80 lines kept, 969 tokens; original 391f8c896448]
    80 hits
    1: this.editorContainer.addChild(this.item0); [80 like it]
    4: this.editorContainer.addChild(this.item1);
    7: this.editorContainer.addChild(this.item2);
    10: this.editorContainer.addChild(this.item3);
    220: this.editorContainer.addChild(this.item73);
    223: this.editorContainer.addChild(this.item74);
    226: this.editorContainer.addChild(this.item75);
    229: this.editorContainer.addChild(this.item76);
    232: this.editorContainer.addChild(this.item77);
    235: this.editorContainer.addChild(this.item78);
    238: this.editorContainer.addChild(this.item79);
    ");
}

#[test]
fn what_the_tool_says_among_the_hits_is_kept() {
    let mut text: String = (0..90).map(|n| format!("lib/part{}.rb:{}:  attach(queue_{n})\n", n % 5, n + 3)).collect();
    text.push_str("grep: lib/vendor: Is a directory\nBinary file lib/logo.dat matches\n");
    text.push_str(&(0..9).map(|n| format!("grep: lib/{n}.lock: device is busy now\n")).collect::<String>());
    insta::assert_snapshot!(check("grep -rn attach lib", &text), @"
    [digest of search hits: 4 of 101 lines kept, 883 tokens; original 10f88983b948]
    90 hits in 5 files: lib/part0.rb 18, lib/part1.rb 18, lib/part2.rb 18, lib/part3.rb 18, lib/part4.rb 18
    lib/part0.rb:3: attach(queue_0) [×90]
    grep: lib/vendor: Is a directory
    Binary file lib/logo.dat matches
    grep: lib/0.lock: device is busy now [×9]
    ");
}

#[test]
fn hits_are_known_without_the_call_and_with_a_blank_behind_the_place() {
    let text: String = (0..80).map(|n| format!("lib/part{}.rb:{}: attach queue, retry: {n}\n", n % 5, n + 3)).collect();
    assert_eq!(made("", "cat found.txt", &text).map(|digest| digest.kind), Some("search hits"));
    let said: String = (0..80).map(|n| format!("main.go:{}: queue {n} attached\n", [12, 40][n % 2])).collect();
    assert_ne!(made("", "./run", &said).map(|digest| digest.kind), Some("search hits"));
}

#[test]
fn the_hit_with_a_value_unlike_all_others_is_kept() {
    let text: String =
        (0..80).map(|n| format!("env/{n}.yml:4:  replicas: {}\n", if n == 33 { 900 } else { n % 3 + 2 })).collect();
    assert!(check("rg -n replicas env", &text).contains("env/33.yml:4:  replicas: 900"));
}

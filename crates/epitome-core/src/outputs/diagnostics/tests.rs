//! What is kept of compilers and linters.

use crate::outputs::testing::{check, made};

#[test]
fn the_same_message_in_many_places_is_told_once_with_the_first_of_them() {
    let mut text = String::from("> web@1.0.0 build\n> tsc -p .\n\n");
    for n in 0..24 {
        text.push_str(&format!(
            "src/view_{}.ts({},7): error TS2339: Property 'field{n}' does not exist on type 'Props'.\n",
            n % 3,
            n + 10
        ));
    }
    text.push_str("src/api.ts(4,1): error TS2322: Type 'string' is not assignable to type 'number'.\n  Types of property 'id' are incompatible.\nFound 25 errors in 4 files.\n");
    insta::assert_snapshot!(check("npm run build", &text), @"
    [digest of compiler output: 6 of 30 lines kept, 559 tokens; original 34d11533143d]
    25 errors in 4 files, 2 different
    > web@1.0.0 build
    > tsc -p .
    error TS2339 ×24: Property 'field0' does not exist on type 'Props'.: src/view_0.ts(10,7), (13,7) 'field3'; src/view_1.ts(11,7) 'field1'; src/view_2.ts(12,7) 'field2'; +20 more in 3 files
    src/api.ts(4,1): error TS2322: Type 'string' is not assignable to type 'number'.
      Types of property 'id' are incompatible.
    Found 25 errors in 4 files.
    ");
}

#[test]
fn rare_errors_stand_beside_one_that_is_everywhere() {
    let mut text = String::new();
    for n in 0..110 {
        text.push_str(&format!("app/views/page_{}.py:{}:80: E501 Line too long ({} > 79)\n", n % 40, n + 3, n + 80));
        match n {
            17 => text.push_str("app/db.py:5:1: F821 undefined name 'sesion'\n"),
            55 => text.push_str("app/auth.py:88:12: E711 comparison to None\n"),
            90 => text.push_str("app/jobs.py:4:9: E722 do not use bare except\n"),
            _ => {}
        }
    }
    insta::assert_snapshot!(check("flake8", &text), @"
    [digest of compiler output: 5 of 113 lines kept, 1,617 tokens; original f16a6d3e0b77]
    113 errors in 43 files, 4 different
    error E501 ×110: Line too long (80 > 79): app/views/page_0.py:3:80; app/views/page_1.py:4:80 81; app/views/page_2.py:5:80 82; app/views/page_3.py:6:80 83; +106 more in 40 files
    app/db.py:5:1: F821 undefined name 'sesion'
    app/auth.py:88:12: E711 comparison to None
    app/jobs.py:4:9: E722 do not use bare except
    app/views/page_29.py:112:80: E501 Line too long (189 > 79)
    ");
    let text: String =
        (0..60).map(|n| format!("pkg/a{}.go:{n}:2: undefined: {}x{n}\n", n % 9, ["ka", "lo", "mi"][n % 3])).collect();
    let text = format!("{text}pkg/z.go:9:1: missing return\n");
    insta::assert_snapshot!(check("go vet ./...", &text), @"
    [digest of compiler output: 4 of 61 lines kept, 498 tokens; original 7b1ca42f1f0f]
    61 errors in 10 files, 4 different
    error ×20: undefined: kax0: pkg/a0.go:0:2, :9:2 9; pkg/a3.go:3:2 3; pkg/a6.go:6:2 6; +16 more in 3 files
    error ×20: undefined: lox1: pkg/a1.go:1:2, :10:2 10; pkg/a4.go:4:2 4; pkg/a7.go:7:2 7; +16 more in 3 files
    error ×20: undefined: mix2: pkg/a2.go:2:2, :11:2 11; pkg/a5.go:5:2 5; pkg/a8.go:8:2 8; +16 more in 3 files
    pkg/z.go:9:1: missing return
    ");
}

#[test]
fn projects_that_are_built_beside_each_other_number_their_lines() {
    let warning = |n: usize| {
        format!(
            "     {}>C:\\shop\\Cart{n}.cs({n},9): warning CS0168: The variable 'x{n}' is never used [C:\\shop\\Cart.csproj]\n",
            n % 2 + 1
        )
    };
    let mut text = String::from("Build started 3/4/2025 9:00:01 AM.\n");
    text.extend((1..30).map(warning));
    text.push_str(
        "     7>C:\\shop\\Till.cs(56,6): error CS0246: The type or namespace name 'Coin' could not be found\n",
    );
    text.push_str("     9>till.obj : error LNK2019: unresolved external symbol open_till\n");
    text.extend((30..60).map(warning));
    text.push_str("\nBuild FAILED.\n\n    59 Warning(s)\n    2 Error(s)\n");
    insta::assert_snapshot!(check("msbuild Shop.sln /m", &text), @r#"
    [digest of compiler output: 7 of 67 lines kept, 1,576 tokens; original 9481f1179786]
    2 errors, 59 warnings in 61 files, 3 different
    Build started 3/4/2025 9:00:01 AM.
    2>warning CS0168 ×59: The variable 'x1' is never used [C:\shop\Cart.csproj]: C:\shop\Cart1.cs(1,9); C:\shop\Cart2.cs(2,9) 'x2'; C:\shop\Cart3.cs(3,9) 'x3'; C:\shop\Cart4.cs(4,9) 'x4'; +55 more in 55 files
         7>C:\shop\Till.cs(56,6): error CS0246: The type or namespace name 'Coin' could not be found
         9>till.obj : error LNK2019: unresolved external symbol open_till
    Build FAILED.
        59 Warning(s)
        2 Error(s)
    "#);
}

#[test]
fn letters_and_words_behind_a_code_say_how_bad_it_is() {
    let offence = |n: usize| {
        format!("app/item{n}.rb:{n}:7: C: Style/Quotes: Prefer single quotes.\n  x = \"item{n}\"\n      ^^^^^^\n")
    };
    let mut text: String = (1..30).map(offence).collect();
    text.push_str("app/till.rb:88:9: E: Lint/Syntax: unexpected token kEND\n        end\n        ^^^\n");
    text.push_str(
        "image/Dockerfile:14 DL1000 error: unexpected 'R'\nimage/Dockerfile:20 DL3008 warning: Pin versions\n",
    );
    insta::assert_snapshot!(check("lint", &text), @r#"
    [digest of compiler output: 6 of 92 lines kept, 669 tokens; original b3b1415b45ec]
    2 errors, 30 warnings in 31 files, 4 different
    warning ×29: Style/Quotes: Prefer single quotes.: app/item1.rb:1:7; app/item2.rb:2:7; app/item3.rb:3:7; app/item4.rb:4:7; +25 more in 25 files
      x = "item1"
    app/till.rb:88:9: E: Lint/Syntax: unexpected token kEND
            end
    image/Dockerfile:14 DL1000 error: unexpected 'R'
    image/Dockerfile:20 DL3008 warning: Pin versions
    "#);
}

#[test]
fn rustc_errors_keep_place_and_label() {
    let mut text = String::from("    Checking ledger v0.1.0\n");
    for n in 0..12 {
        text.push_str(&format!("warning: unused variable: `x{n}`\n  --> src/parse.rs:{}:9\n   |\n{} |     let x{n} = 1;\n   |         ^^ help: if this is intentional, prefix it with an underscore: `_x{n}`\n   |\n   = note: `#[warn(unused_variables)]` on by default\n\n", n + 1, n + 1));
    }
    text.push_str("error[E0308]: mismatched types\n  --> src/settle.rs:42:18\n   |\n42 |     let cents: u32 = \"12\";\n   |                ---   ^^^^ expected `u32`, found `&str`\n   |                |\n   |                expected due to this\n\nFor more information about this error, try `rustc --explain E0308`.\nwarning: `ledger` (lib) generated 12 warnings\nerror: could not compile `ledger` (lib) due to 1 previous error; 12 warnings emitted\n");
    insta::assert_snapshot!(check("cargo check", &text), @"
    [digest of compiler output: 5 of 108 lines kept, 774 tokens; original 7e1a6eab6c89]
    1 error, 12 warnings in 2 files, 2 different
    warning ×12: unused variable: `x0`: src/parse.rs:1:9, :2:9 `x1`, :3:9 `x2`, :4:9 `x3`; +8 more in 1 file
    error[E0308]: mismatched types --> src/settle.rs:42:18 (expected `u32`, found `&str`)
    For more information about this error, try `rustc --explain E0308`.
    warning: `ledger` (lib) generated 12 warnings
    error: could not compile `ledger` (lib) due to 1 previous error; 12 warnings emitted
    ");
}

#[test]
fn eslint_names_the_file_above() {
    let mut text = String::new();
    for file in 0..6 {
        text.push_str(&format!("/srv/app/src/page_{file}.js\n"));
        for line in 0..5 {
            text.push_str(&format!("  {}:5  warning  Unexpected console statement  no-console\n", line * 3 + 1));
        }
        text.push('\n');
    }
    text.push_str("/srv/app/src/login.js\n  12:1  error  'token' is not defined  no-undef\n\n✖ 31 problems (1 error, 30 warnings)\n");
    insta::assert_snapshot!(check("npx eslint .", &text), @"
    [digest of compiler output: 3 of 46 lines kept, 494 tokens; original 3aa30624a753]
    1 error, 30 warnings in 7 files under /srv/app/src/, 2 different
    warning no-console ×30: Unexpected console statement: page_0.js:1:5, :4:5, :7:5, :10:5; +26 more in 6 files
    12:1  error  'token' is not defined  no-undef --> login.js:12:1
    ✖ 31 problems (1 error, 30 warnings)
    ");
}

#[test]
fn gcc_and_linters_of_python_and_go_are_read() {
    let mut text = String::from(
        "In file included from src/a.h:3,\n                 from src/a.c:1:\nsrc/a.c: In function 'main':\nsrc/a.c:12:5: error: 'count' undeclared (first use in this function)\n   12 |     count = 3;\n      |     ^~~~~\nsrc/a.c:12:5: note: each undeclared identifier is reported only once\n",
    );
    (0..30)
        .for_each(|n| text.push_str(&format!("src/b.c:{n}:9: warning: unused variable 'v{n}' [-Wunused-variable]\n")));
    text.push_str("make: *** [Makefile:12: src/a.o] Error 1\n");
    insta::assert_snapshot!(check("make", &text), @"
    [digest of compiler output: 7 of 38 lines kept, 562 tokens; original 92de679d685b]
    1 error, 30 warnings, 1 note in 2 files, 3 different
    In file included from src/a.h:3,
                     from src/a.c:1:
    src/a.c: In function 'main':
    src/a.c:12:5: error: 'count' undeclared (first use in this function)
    src/a.c:12:5: note: each undeclared identifier is reported only once
    warning ×30: unused variable 'v0' [-Wunused-variable]: src/b.c:0:9, :1:9 'v1', :2:9 'v2', :3:9 'v3'; +26 more in 1 file
    make: *** [Makefile:12: src/a.o] Error 1
    ");
    let mut text: String = (0..40)
        .map(|n| {
            format!("app/models/file_{}.py:{}:80: E501 line too long ({} > 79 characters)\n", n % 4, n + 1, n + 80)
        })
        .collect();
    text.push_str("app/main.py:3:1: F401 'os' imported but unused\nFound 41 errors.\n");
    insta::assert_snapshot!(check("ruff check .", &text), @"
    [digest of compiler output: 3 of 42 lines kept, 699 tokens; original ef5e3719be64]
    41 errors in 5 files, 2 different
    error E501 ×40: line too long (80 > 79 characters): app/models/file_0.py:1:80; app/models/file_1.py:2:80 81; app/models/file_2.py:3:80 82; app/models/file_3.py:4:80 83; +36 more in 4 files
    app/main.py:3:1: F401 'os' imported but unused
    Found 41 errors.
    ");
    let mut text: String = (0..20)
        .map(|n| {
            format!(
                "internal/gitproto/refs_{n}.go:{}:39: invalid operation: adv.Capabilities == nil (mismatched types)\n",
                n + 9
            )
        })
        .collect();
    text.push_str(
        "internal/gitproto/push.go:69:15: undefined: packp.NewUpdateRequests\nFAIL\texample.org/sync [build failed]\n",
    );
    insta::assert_snapshot!(check("go vet ./...", &text), @"
    [digest of compiler output: 3 of 22 lines kept, 514 tokens; original c976c71f07cf]
    21 errors in 21 files, 2 different
    error ×20: invalid operation: adv.Capabilities == nil (mismatched types): internal/gitproto/refs_0.go:9:39; internal/gitproto/refs_1.go:10:39; internal/gitproto/refs_2.go:11:39; internal/gitproto/refs_3.go:12:39; +16 more in 16 files
    internal/gitproto/push.go:69:15: undefined: packp.NewUpdateRequests
    FAIL	example.org/sync [build failed]
    ");
}

#[test]
fn the_same_words_below_many_messages_are_shown_once() {
    let text: String = (0..30)
        .map(|n| {
            format!(
                "net/part{n}.go:{}:2: Error return value of `c.Close` is not checked (errcheck)\n\tc.Close()\n\t^\n",
                n + 3
            )
        })
        .collect();
    let digest = check("golangci-lint run", &format!("{text}30 issues:\n"));
    assert_eq!(digest.matches("c.Close()").count(), 1, "{digest}");
}

#[test]
fn hits_of_a_search_are_no_messages() {
    let text: String = (0..80).map(|n| format!("src/a{n}.rs:{n}:    return Err(error: code)\n")).collect();
    assert_ne!(made("", "rg error", &text).map(|digest| digest.kind), Some("compiler output"));
}

#[test]
fn a_program_that_says_that_the_compiler_failed_is_kept() {
    let mut text: String =
        (0..30).map(|n| format!("src/a.ts({n},5): error TS2554: Expected 3 arguments, but got {n}.\n")).collect();
    text.push_str(
        "npm error Lifecycle script `check` failed with error:\nnpm error code 2\nCommand exited with code 2\n",
    );
    assert!(check("npm run check", &text).contains("npm error Lifecycle script `check` failed with error:"));
}

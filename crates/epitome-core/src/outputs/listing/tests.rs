use crate::outputs::testing::{check, made};

#[test]
fn of_a_long_listing_the_odd_file_is_kept() {
    let mut text = String::from(
        "total 2320\ndrwxr-xr-x  12 me  staff   384 May 22 13:18 .\ndrwxr-xr-x  12 me  staff   384 May 22 13:18 archive\n",
    );
    for n in 0..60 {
        text.push_str(&format!(
            "-rw-r--r--  1 me  staff  {:>7} Apr {:>2} 10:38 session-{n}.json\n",
            9_000 + n,
            n % 28 + 1
        ));
    }
    text.push_str("-rwsr-xr-x  1 root  staff  8812345 May 23 10:38 helper\n-rw-r--r--  1 me  staff        0 Apr 30 10:38 session-61.json\n");
    insta::assert_snapshot!(check("ls -la", &text), @"
    [digest of listing: 10 of 65 lines kept, 984 tokens; original 7a6e9151dc34]
    64 entries: 2 directories, .json 61, without extension 1
    9,354,115 bytes, largest helper 8812345; newest helper May 23 10:38, oldest Apr  1 10:38
    total 2320
    drwxr-xr-x 384 May 22 13:18 archive/
    -rw-r--r-- 9000 Apr  1 10:38 session-0.json
    -rw-r--r-- 9055 Apr 28 10:38 session-55.json
    -rw-r--r-- 9056 Apr  1 10:38 session-56.json
    -rw-r--r-- 9057 Apr  2 10:38 session-57.json
    -rw-r--r-- 9058 Apr  3 10:38 session-58.json
    -rw-r--r-- 9059 Apr  4 10:38 session-59.json
    -rwsr-xr-x 8812345 May 23 10:38 helper
    -rw-r--r-- 0 Apr 30 10:38 session-61.json
    ");
}

#[test]
fn a_file_with_an_extension_of_its_own_and_a_size_far_from_all_others_are_kept() {
    let mut text: String =
        (0..200).map(|n| format!("lib/part{}/unit_{n}.{}\n", n % 9, ["c", "h", "py"][n % 3])).collect();
    text.push_str("lib/part3/server.key\nlib/Dockerfile\n");
    let paths = check("find lib", &text);
    assert!(paths.contains("\nlib/part3/server.key\n") && paths.contains("\nlib/Dockerfile"), "{paths}");
    let mut text: String = (0..80).map(|n| format!("{}\t./cache/blob{n}\n", 4_000 + n * 13)).collect();
    text.push_str("56096242057\t./cache/core.dump\n56096700000\t./cache\n");
    let sizes = check("du -ab", &text);
    assert!(sizes.contains("56096242057\t./cache/core.dump") && sizes.contains("56096700000\t./cache"), "{sizes}");
}

#[test]
fn a_table_that_begins_with_numbers_is_no_list_of_sizes() {
    let text: String = (0..60).map(|n| format!("{n}\tname{n}\t{}\t./x\n", n * 3)).collect();
    assert_ne!(made("", "cat rows.tsv", &text).map(|digest| digest.kind), Some("listing"));
}

#[test]
fn paths_are_counted_by_directory_and_extension() {
    let mut text: String = (0..90)
        .map(|n| {
            format!("/home/me/go/pkg/mod/example.org/git@v5/{}/file_{n}.go\n", ["plumbing", "storage", "utils"][n % 3])
        })
        .collect();
    text.push_str("/home/me/go/pkg/mod/example.org/git@v5/utils/.env.production\nfind: ‘/home/me/go/private’: Permission denied\n");
    insta::assert_snapshot!(check("find . -type f", &text), @"
    [digest of listing: 17 of 92 lines kept, 1,323 tokens; original cdcde8d22491]
    91 entries under /home/me/go/pkg/mod/example.org/git@v5/: .go 90, .production 1
    by directory: utils/ 31, plumbing/ 30, storage/ 30
    plumbing/file_0.go
    storage/file_1.go
    utils/file_2.go
    plumbing/file_3.go
    storage/file_4.go
    utils/file_80.go
    plumbing/file_81.go
    storage/file_82.go
    utils/file_83.go
    plumbing/file_84.go
    storage/file_85.go
    utils/file_86.go
    plumbing/file_87.go
    storage/file_88.go
    utils/file_89.go
    /home/me/go/pkg/mod/example.org/git@v5/utils/.env.production
    find: ‘/home/me/go/private’: Permission denied
    ");
}

#[test]
fn a_tree_is_counted_by_its_branches() {
    let mut text = String::from(".\n");
    for folder in 0..6 {
        text.push_str(&format!("├── module{folder}\n"));
        for file in 0..8 {
            text.push_str(&format!("│   ├── part{file}.rs\n"));
        }
        text.push_str("│   └── mod.rs\n");
    }
    text.push_str("\n6 directories, 54 files\n");
    insta::assert_snapshot!(check("tree", &text), @"
    [digest of listing: 18 of 63 lines kept, 369 tokens; original 0b8a35655624]
    60 entries: 6 directories, .rs 54
    by directory: module0 9, module1 9, module2 9, module3 9, module4 9, module5 9, ./ 6
    .
    ├── module0
    │   ├── part0.rs
    │   ├── part1.rs
    ├── module1
    ├── module2
    ├── module3
    ├── module4
    ├── module5
    │   ├── part1.rs
    │   ├── part2.rs
    │   ├── part3.rs
    │   ├── part4.rs
    │   ├── part5.rs
    │   ├── part6.rs
    │   ├── part7.rs
    │   └── mod.rs
    6 directories, 54 files
    ");
}

#[test]
fn an_empty_output_and_a_single_line_are_no_lists() {
    assert_eq!(made("", "ls", "").map(|digest| digest.kind), None);
    assert_ne!(made("", "ls", &"a.txt ".repeat(900)).map(|digest| digest.kind), Some("listing"));
}

#[test]
fn words_are_no_files() {
    let text = "alpha\nbeta\ngamma\ndelta\n".repeat(60);
    assert_ne!(made("", "cat words", &text).map(|digest| digest.kind), Some("listing"));
}

#[test]
fn what_the_tool_says_among_the_files_is_kept() {
    let mut lines: Vec<String> = (0..150).map(|n| format!("photos/{}/img{n:03}.jpg", n % 6)).collect();
    lines[40] = "tar: photos/x: File shrank by 512 bytes; padding with zeros".into();
    lines[80] = "skipping special file photos/socket0 for now".into();
    lines[81] = "skipping special file photos/socket1 for now".into();
    lines[120] = "find: ‘photos/private’: Permission denied".into();
    insta::assert_snapshot!(check("find photos; tar cf a.tar photos", &lines.join("\n")), @"
    [digest of listing: 14 of 150 lines kept, 779 tokens; original 2c1b775eeace]
    146 entries: .jpg 146
    by directory: photos/1/ 25, photos/5/ 25, photos/0/ 24, photos/2/ 24, photos/3/ 24, photos/4/ 24
    photos/0/img000.jpg
    photos/1/img001.jpg
    photos/2/img002.jpg
    tar: photos/x: File shrank by 512 bytes; padding with zeros
    skipping special file photos/socket0 for now
    skipping special file photos/socket1 for now
    find: ‘photos/private’: Permission denied
    photos/5/img143.jpg
    photos/0/img144.jpg
    photos/1/img145.jpg
    photos/2/img146.jpg
    photos/3/img147.jpg
    photos/4/img148.jpg
    photos/5/img149.jpg
    ");
}

#[test]
fn an_odd_link_is_told_with_where_it_leads() {
    let mut lines: Vec<String> =
        (0..60).map(|n| format!("-rw-r--r-- 1 me me {} Apr 12 10:38 page{n}.html", 900 + n)).collect();
    lines[30] = "lrwxrwxrwx 1 me me 11 Apr 12 10:38 page30.html -> /etc/shadow".into();
    assert!(check("ls -l", &lines.join("\n")).contains("page30.html -> /etc/shadow"));
}

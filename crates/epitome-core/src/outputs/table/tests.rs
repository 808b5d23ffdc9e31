//! Tables of many sorts, and what is none.

mod again;

use super::*;
use crate::outputs::testing::{check, is_covered, made, output};

fn orders(count: usize) -> Vec<[String; 6]> {
    let order = |n: usize| {
        let status = if n % 5 == 2 { "pending" } else { "shipped" };
        let amount = format!("{:.2}", (n * 7_919 % 24_500) as f64 / 100.0 + 5.0);
        [
            format!("{}", n + 1),
            format!("ord_{:08x}", n * 2_654_435_761),
            format!("2025-03-{:02}", 1 + n / 11),
            amount,
            status.to_owned(),
            String::new(),
        ]
    };
    (0..count).map(order).collect()
}

fn planted() -> Vec<[String; 6]> {
    let mut orders = orders(200);
    orders[88][3] = "98750.00".into();
    orders[150][4] = "chargeback".into();
    orders[160][1] = "manual".into();
    orders
}

const NAMES: [&str; 6] = ["id", "order", "date", "amount", "status", "note"];

fn separated(orders: &[[String; 6]], by: &str) -> String {
    let rows: Vec<String> = orders.iter().map(|order| order.join(by)).collect();
    format!("{}\n{}\n", NAMES.join(by), rows.join("\n"))
}

#[test]
fn separated_values_are_told_by_their_columns_and_by_odd_rows() {
    let mut orders = planted();
    orders[177][5] = "\"Traceback (most recent call last):\n  File \"\"a.py\"\", line 3, in f\n    g()\n  File \"\"b.py\"\", line 9, in g\n    h()\n  File \"\"c.py\"\", line 1, in h\n    raise KeyError(1)\nKeyError: 1\"".into();
    insta::assert_snapshot!(check("cat orders.csv", &separated(&orders, ",")), @r#"
    [digest of table: 8 of 200 rows kept, 2,297 tokens; original 4ed076e0323b]
    200 rows; id: 1–200, order: text, date: 2025-03-01–2025-03-19, amount: 5.00–249.81, status: shipped 159×|pending 40×, note: 1×
    id,order,date,amount,status,note
    1,ord_00000000,2025-03-01,5.00,shipped,
    2,ord_9e3779b1,2025-03-01,84.19,shipped,
    [… 86 rows …]
    89,ord_366311d4d8,2025-03-09,98750.00,shipped, ← amount
    [… 61 rows …]
    151,ord_5cb4814db6,2025-03-14,123.50,chargeback, ← status
    [… 9 rows …]
    161,manual,2025-03-15,180.40,shipped, ← order
    [… 16 rows …]
    178,ord_6d645b2361,2025-03-17,56.63,pending,"Traceback (most recent call last):
      File ""a.py"", line 3, in f
    [… 3 lines …]
      File ""c.py"", line 1, in h
        raise KeyError(1)
    KeyError: 1"
    [… 20 rows …]
    199,ord_7a5ee81ee6,2025-03-19,249.62,shipped,
    200,ord_7afd1f9897,2025-03-19,83.81,shipped,
    "#);
}

#[test]
fn any_separator_will_do() {
    let body = |by: &str| {
        let digest = made("", "cat orders", &separated(&planted(), by)).expect("a digest");
        assert_eq!(digest.kind, "table", "{by:?}");
        digest.text.lines().filter(|line| line.contains('←')).count()
    };
    assert_eq!([",", "\t", ";", "|"].map(body), [3, 3, 3, 3]);
    let windows = separated(&planted(), ",").replace('\n', "\r\n");
    assert_eq!(made("", "type orders.csv", &windows).expect("a digest").kind, "table");
}

#[test]
fn a_table_that_ends_in_numbers_is_no_diff_and_keeps_what_went_wrong() {
    let rows: String = (0..200).map(|n| format!(" {n:>3} | name {n} | {}\n", n * 3)).collect();
    let text = format!(
        "ERROR:  relation \"orders\" does not exist\n id  |   name   | total\n-----+----------+-------\n{rows}(200 rows)\n"
    );
    let digest = made("", "psql -f report.sql", &text).expect("a digest");
    assert_eq!(digest.kind, "table", "{}", digest.text);
    assert!(digest.text.contains("relation \"orders\" does not exist"), "{}", digest.text);
    assert!(digest.text.contains("(200 rows)"), "{}", digest.text);
}

#[test]
fn psql_answers_keep_the_number_of_rows() {
    let rows: Vec<String> = planted()
        .iter()
        .map(|order| format!(" {:>3} | {:<12} | {} | {:>8} | {}", order[0], order[1], order[2], order[3], order[4]))
        .collect();
    let text = format!(
        " id  |    order     |    date    |  amount  | status\n-----+--------------+------------+----------+---------\n{}\n(200 rows)\n",
        rows.join("\n")
    );
    insta::assert_snapshot!(check("psql -c 'select …'", &text), @"
    [digest of table: 6 of 200 rows kept, 2,823 tokens; original 3a71731cbc2c]
    200 rows; id: 1–200, order: text, date: 2025-03-01–2025-03-19, amount: 5.00–249.81, status: shipped 159×|pending 40×
    1 | ord_00000000 | 2025-03-01 | 5.00 | shipped
    2 | ord_9e3779b1 | 2025-03-01 | 84.19 | shipped
    [… 86 rows …]
    89 | ord_366311d4d8 | 2025-03-09 | 98750.00 | shipped ← amount
    [… 61 rows …]
    151 | ord_5cb4814db6 | 2025-03-14 | 123.50 | chargeback ← status
    [… 9 rows …]
    161 | manual | 2025-03-15 | 180.40 | shipped ← order
    [… 38 rows …]
    200 | ord_7afd1f9897 | 2025-03-19 | 83.81 | shipped
    (200 rows)
    ");
}

#[test]
fn boxes_are_read() {
    let rows: Vec<String> = planted()
        .iter()
        .map(|order| format!("| {:>3} | {:<12} | {:>8} | {:<10} |", order[0], order[1], order[3], order[4]))
        .collect();
    let rule = "+-----+--------------+----------+------------+";
    let text = format!(
        "{rule}\n| id  | order        | amount   | status     |\n{rule}\n{}\n{rule}\n200 rows in set (0.01 sec)\n",
        rows.join("\n")
    );
    insta::assert_snapshot!(check("mysql -e 'select …'", &text), @"
    [digest of table: 7 of 200 rows kept, 2,497 tokens; original 4258e4378bf5]
    200 rows; id: 1–200, order: text, amount: 5.00–249.81, status: shipped 159×|pending 40×
    | 1 | ord_00000000 | 5.00 | shipped |
    | 2 | ord_9e3779b1 | 84.19 | shipped |
    [… 86 rows …]
    | 89 | ord_366311d4d8 | 98750.00 | shipped | ← amount
    [… 61 rows …]
    | 151 | ord_5cb4814db6 | 123.50 | chargeback | ← status
    [… 9 rows …]
    | 161 | manual | 180.40 | shipped | ← order
    [… 37 rows …]
    | 199 | ord_7a5ee81ee6 | 249.62 | shipped |
    | 200 | ord_7afd1f9897 | 83.81 | shipped |
    200 rows in set (0.01 sec)
    ");
    let markdown = format!("| id | order | amount | status |\n|---|---|--:|---|\n{}\n", rows.join("\n"));
    assert_eq!(made("", "cat report.md", &markdown).expect("a digest").kind, "table");
    let drawn = text.replace('|', "│").replace('+', "┼").replace("-----", "─────");
    assert_eq!(made("", "report", &drawn).expect("a digest").kind, "table");
}

#[test]
fn aligned_columns_give_what_is_not_well() {
    let pod = |n: usize| {
        let (ready, status, restarts) =
            if n == 33 { ("0/1", "CrashLoopBackOff", "214 (3m ago)") } else { ("1/1", "Running", "0") };
        format!(
            "{:<12}  {:<24}  {ready:<6}  {status:<17}  {restarts:<13}  {}d",
            ["default", "kube-system"][n % 2],
            format!("web-{:010x}", n * 48_271),
            3 + n * 7 % 30
        )
    };
    let pods: Vec<String> = (0..60).map(pod).collect();
    let heading =
        format!("{:<12}  {:<24}  {:<6}  {:<17}  {:<13}  AGE", "NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS");
    insta::assert_snapshot!(check("kubectl get pods -A", &format!("{heading}\n{}\n", pods.join("\n"))), @"
    [digest of table: 6 of 60 rows kept, 1,308 tokens; original 977b47e7e02c]
    60 rows; NAMESPACE: default 30×|kube-system 30×, NAME: text, READY: 1/1 59×, STATUS: Running 59×, RESTARTS: 0, AGE: 3d–32d
    default  web-0000000000  1/1  Running  0  3d
    kube-system  web-000000bc8f  1/1  Running  0  10d
    default  web-000001791e  1/1  Running  0  17d
    [… 30 rows …]
    kube-system  web-0000184e6f  0/1  CrashLoopBackOff  214 (3m ago)  24d
    [… 24 rows …]
    default  web-00002ab866  1/1  Running  0  19d
    kube-system  web-00002b74f5  1/1  Running  0  26d
    ");
}

#[test]
fn cells_of_several_words_are_told_apart_by_wider_spaces() {
    let container = |n: usize| {
        let status = match n {
            9 => "Exited (0) 2 days ago",
            17 => "Up 3 minutes (unhealthy)",
            _ => "Up 5 weeks (healthy)",
        };
        format!(
            "{:<15}{:<20}{:<26}{:<14}{status:<28}{:<12}shop-{n}",
            format!("{:012x}", n * 7_919_317_771),
            format!("shop/part-{n}:1.4"),
            "\"/docker-entrypoint.…\"",
            "5 weeks ago",
            if n.is_multiple_of(3) { "" } else { "8080/tcp" },
        )
    };
    let rows: Vec<String> = (0..30).map(container).collect();
    let heading = format!(
        "{:<15}{:<20}{:<26}{:<14}{:<28}{:<12}NAMES",
        "CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS"
    );
    let digest = made("", "docker ps -a", &format!("{heading}\n{}\n", rows.join("\n"))).expect("a digest");
    assert_eq!(digest.kind, "table");
    assert!(digest.text.contains("STATUS: "), "{}", digest.text);
    assert!(digest.text.contains("Exited (0) 2 days ago"), "{}", digest.text);
    assert!(digest.text.contains("(unhealthy)"), "{}", digest.text);
    // Not aligned, but two spaces everywhere.
    let loose: Vec<String> = (0..30)
        .map(|n| {
            format!("node-{n}  {}  {n} days ago  v1.30.{n}", if n == 21 { "Out of service" } else { "In service" })
        })
        .collect();
    let text = format!("NODE NAME  CURRENT STATE  LAST SEEN  VERSION\n{}\n", loose.join("\n"));
    let digest = made("", "nodes", &text).expect("a digest");
    assert_eq!(digest.kind, "table");
    assert!(digest.text.contains("node-21  Out of service"), "{}", digest.text);
}

#[test]
fn decimals_behind_a_comma_are_numbers() {
    let row = |n: usize| {
        let load = if n == 44 { "981,5".to_owned() } else { format!("{},{}", 10 + n % 9, n % 10) };
        format!(
            "station-{n};{load};1.{:03},5;{} MB",
            200 + n * 7 % 90,
            if n == 71 { "9.100,5".to_owned() } else { format!("{},5", 300 + n * 3 % 50) }
        )
    };
    let rows: Vec<String> = (0..120).map(row).collect();
    let digest = check("cat load.csv", &format!("name;load;total;memory\n{}\n", rows.join("\n")));
    let odd: Vec<&str> = digest.lines().filter(|line| line.contains('←')).collect();
    assert_eq!(odd.len(), 2, "{digest}");
    assert!(odd[0].starts_with("station-44;981,5") && odd[1].starts_with("station-71"), "{digest}");
}

#[test]
fn the_odd_row_of_a_markdown_table_has_its_label() {
    let row = |n: usize| format!("| `job-{n}` | **{}ms** | ok |", if n == 13 { 91_000 } else { 300 + n * 7 % 60 });
    let rows: Vec<String> = (0..40).map(row).collect();
    let digest = check("report", &format!("| job | p99 | state |\n|---|--:|---|\n{}\n", rows.join("\n")));
    assert!(digest.contains("| `job-13` | **91000ms** | ok | ← p99"), "{digest}");
}

#[test]
fn numbers_aligned_to_the_right_are_columns() {
    let process = |n: usize| {
        format!(
            "root {:>9}  {:>3}  {:.1} {:>6} {:>5} ?        Ss   Nov15   0:{:02} /usr/sbin/daemon-{n} --flag",
            100 + n * 7,
            if n == 40 { "98.7" } else { "0.0" },
            (n % 10) as f64 / 10.0,
            9_000 + n * 313 % 80_000,
            900 + n * 71 % 8_000,
            n % 60
        )
    };
    let processes: Vec<String> = (0..70).map(process).collect();
    let text =
        format!("USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n{}\n", processes.join("\n"));
    insta::assert_snapshot!(check("ps aux", &text), @"
    [digest of table: 4 of 70 rows kept, 1,626 tokens; original 04e594d0ca94]
    70 rows; USER: root, PID: 100–583, %CPU: 0.0, %MEM: 0.0–0.9, VSZ: 9000–30597, RSS: 900–5799, TTY: ?, STAT: Ss, START: Nov15, TIME: text, COMMAND: text
    root  100  0.0  0.0  9000  900  ?  Ss  Nov15  0:00  /usr/sbin/daemon-0 --flag
    root  107  0.0  0.1  9313  971  ?  Ss  Nov15  0:01  /usr/sbin/daemon-1 --flag
    [… 38 rows …]
    root  380  98.7  0.0  21520  3740  ?  Ss  Nov15  0:40  /usr/sbin/daemon-40 --flag
    [… 28 rows …]
    root  583  0.0  0.9  30597  5799  ?  Ss  Nov15  0:09  /usr/sbin/daemon-69 --flag
    ");
}

#[test]
fn headings_of_many_sorts_are_known() {
    let disk = |n: usize| {
        format!(
            "/dev/sda{n:<8} {:>4}G {:>4}G   80G  {}% /mnt/volume-{n}",
            100 + n,
            20 + n % 9,
            if n == 22 { 99 } else { 20 + n % 9 }
        )
    };
    let disks: Vec<String> = (0..40).map(disk).collect();
    let text = format!(
        "Wall time: 0.0 seconds\nOutput:\nFilesystem        Size  Used Avail Use% Mounted on\n{}\n",
        disks.join("\n")
    );
    insta::assert_snapshot!(check("df -h", &text), @"
    [digest of table: 7 of 40 rows kept, 568 tokens; original 88cbaae830ee]
    40 rows; Filesystem: text, Size: 100G–139G, Used: 20G–28G, Avail: 80G, Use%: 20%–28%, Mounted on: text
    /dev/sda0  100G  20G  80G  20%  /mnt/volume-0
    /dev/sda1  101G  21G  80G  21%  /mnt/volume-1
    /dev/sda2  102G  22G  80G  22%  /mnt/volume-2
    [… 19 rows …]
    /dev/sda22  122G  24G  80G  99%  /mnt/volume-22
    [… 14 rows …]
    /dev/sda37  137G  21G  80G  21%  /mnt/volume-37
    /dev/sda38  138G  22G  80G  22%  /mnt/volume-38
    /dev/sda39  139G  23G  80G  23%  /mnt/volume-39
    ");
    let run = |n: usize| {
        format!(
            "completed\t{}\tfeat: thing {n}\tCI\tmain\tpush\t{}\t2026-02-21T{:02}:00:00Z",
            if n == 11 { "failure" } else { "success" },
            22_260_149 + n,
            n % 24
        )
    };
    let runs: Vec<String> = (0..60).map(run).collect();
    insta::assert_snapshot!(check("gh run list", &runs.join("\n")), @"
    [digest of table: 4 of 60 rows kept, 1,138 tokens; original ed7ea18cc9d5]
    60 rows; #1: completed, #2: success 59×, #3: text, #4: CI, #5: main, #6: push, #7: 22260149–22260208, #8: 2026-02-21T00:00:00Z–2026-02-21T23:00:00Z
    completed	success	feat: thing 0	CI	main	push	22260149	2026-02-21T00:00:00Z
    completed	success	feat: thing 1	CI	main	push	22260150	2026-02-21T01:00:00Z
    [… 9 rows …]
    completed	failure	feat: thing 11	CI	main	push	22260160	2026-02-21T11:00:00Z
    [… 47 rows …]
    completed	success	feat: thing 59	CI	main	push	22260208	2026-02-21T11:00:00Z
    ");
}

#[test]
fn ten_rows_are_left_as_they_are() {
    assert_eq!(made("", "cat few.csv", &separated(&orders(10), ",")), None);
}

#[track_caller]
fn no_table(text: &str) {
    assert_eq!(Table.read(&output("x", text), Effort::Full), None);
}

#[test]
fn other_outputs_are_left_to_other_kinds() {
    no_table("");
    no_table("a,b,c\n");
    no_table(&"    call(first, second, third);\n".repeat(60));
    no_table(&"2025-01-01 10:00:00,123 INFO, started, well\n".repeat(60));
    no_table(&"src/main.rs:12:    let (a, b) = (1, 2);\n".repeat(60));
    no_table(&"8134d32 Fix the thing that was broken\n".repeat(60));
    no_table(&"Well, this is prose, and it has commas.\n".repeat(60));
    no_table(&"-rw-r--r-- 1 root root 1234 Nov 15 10:00 file.txt\n".repeat(60));
}

#[test]
fn a_quick_look_still_finds_the_errors() {
    let mut orders = planted();
    orders[20][4] = "failed".into();
    let text = separated(&orders, ",");
    let reading = Table.read(&output("x", &text), Effort::Quick).unwrap();
    let found: Vec<&str> =
        reading.pieces.iter().filter(|piece| piece.rank.finding().is_some()).map(|piece| piece.text(&text)).collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("failed"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_covered_by_its_pieces(lines in proptest::collection::vec("[a1,;|\"+ é\t-]{0,24}", 0..20)) {
        proptest::prop_assert!(is_covered(&Table, &lines.join("\n")));
    }
}

#[test]
fn a_row_that_lacks_a_cell_is_kept() {
    let rows: String = (0..60)
        .map(
            |n| if n == 27 { "27\tn27 torn\n".to_owned() } else { format!("{n}\tn{n}\t{}\twords to fill it\n", n % 9) },
        )
        .collect();
    let digest = check("cat parts.tsv", &format!("id\tname\tqty\tnote\n{rows}"));
    assert!(digest.contains("27\tn27 torn"), "{digest}");
}

#[test]
fn records_with_a_line_for_each_cell_are_rows() {
    let record = |n: usize| {
        let state = if n == 9 { "stuck in a lock" } else { "idle" };
        format!("-[ RECORD {} ]-+----------\npid        | {n}\nstate      | {state}\nquery      | select {n}\n", n + 1)
    };
    insta::assert_snapshot!(check("psql -x -c 'select …'", &(0..40).map(record).collect::<String>()), @"
    [digest of table: 9 of 40 rows kept, 836 tokens; original 7081a811bede]
    40 rows; pid: 0–39, state: idle 39×, query: text
    pid: 0, state: idle, query: select 0
    pid: 1, state: idle, query: select 1
    pid: 2, state: idle, query: select 2
    pid: 3, state: idle, query: select 3
    pid: 4, state: idle, query: select 4
    [… 4 rows …]
    pid: 9, state: stuck in a lock, query: select 9 ← state
    [… 27 rows …]
    pid: 37, state: idle, query: select 37
    pid: 38, state: idle, query: select 38
    pid: 39, state: idle, query: select 39
    ");
}

#[test]
fn a_full_disk_of_a_few_is_kept() {
    let disk = |n: usize| {
        let (used, percent) = if n == 5 { ("98G", "99%") } else { ("41G", "42%") };
        format!("/dev/mapper/volume-group-{n}   100G   {used}    59G  {percent} /srv/data/of/customer/{n}\n")
    };
    let text = format!(
        "Filesystem                    Size  Used  Avail Use% Mounted on\n{}",
        (0..11).map(disk).collect::<String>()
    );
    let digest = check("df -h", &text);
    assert!(digest.contains("volume-group-5"), "{digest}");
}

#[test]
fn numbers_below_words_are_a_table() {
    let row =
        |n: usize| format!(" 1  0  {:>6}  {:>4}  {:>4}  {:>3}\n", 80_000 + n, if n == 30 { 9_000 } else { 0 }, 5, 96);
    let text = format!(
        "procs -memory- -swap- ---io--- -cpu-\n r  b    free    in   out  idl\n{}",
        (0..50).map(row).collect::<String>()
    );
    let digest = check("stat 1", &text);
    assert!(digest.contains("9000"), "{digest}");
}

#[test]
fn a_title_in_a_box_is_no_heading_and_lines_behind_the_rows_are_kept() {
    let row = |n: usize| format!("|  i-{n:04}  |  {}  |  web-{n}  |\n", if n == 31 { "stopped" } else { "running" });
    let text = format!(
        "--------\n|  DescribeInstances  |\n+----------+-----------+----------+\n|  Id  |  State  |  Name  |\n+----------+-----------+----------+\n{}+----------+-----------+----------+\n",
        (0..50).map(row).collect::<String>()
    );
    let digest = check("cloud describe --output table", &text);
    assert!(digest.contains("stopped") && digest.contains("i-0031"), "{digest}");
    let column = |n: usize| format!(" part_{n:<6} | integer          | not null\n");
    let text = format!(
        "   Column    |       Type       | Nullable\n-------------+------------------+----------\n{}Indexes:\n    \"parts_old_idx\" btree (old) INVALID\n",
        (0..40).map(column).collect::<String>()
    );
    assert!(check("psql -c '\\d parts'", &text).contains("\"parts_old_idx\" btree (old) INVALID"));
}

//! Tables that are printed again and again.

use crate::outputs::testing::check;

#[test]
fn a_table_that_is_printed_again_and_again_is_one() {
    let frame = |at: usize| {
        let rows: String = (0..20)
            .map(|n| {
                let cpu = if n == 3 { "487.2" } else { "1.3" };
                format!(
                    "{:>7} web       20   0 {:>8} S {cpu:>6}   0.{} worker-{n}\n",
                    4000 + n * 7,
                    40_000 + n * 311,
                    n % 7
                )
            })
            .collect();
        format!(
            "top - 10:0{at}:00 up 9 days, load average: 48.11, 9.10, 2.02\n%Cpu(s): 5.1 us, 2.0 sy, 41.7 wa\n\n    PID USER      PR  NI     VIRT S   %CPU  %MEM COMMAND\n{rows}\n"
        )
    };
    insta::assert_snapshot!(check("top -b -n 3", &(0..3).map(frame).collect::<String>()), @"
    [digest of table: 6 of 60 rows kept, 990 tokens; original 9140b7f4f6db]
    60 rows; PID: 4000–4133, USER: web, PR: 20, NI: 0, VIRT: 40000–45909, S: S, %CPU: 1.3 57×|487.2 3×, %MEM: 0.0–0.6, COMMAND: text
    top - 10:00:00 up 9 days, load average: 48.11, 9.10, 2.02
    %Cpu(s): 5.1 us, 2.0 sy, 41.7 wa
    4000  web  20  0  40000  S  1.3  0.0  worker-0
    4007  web  20  0  40311  S  1.3  0.1  worker-1
    [… 1 row …]
    4021  web  20  0  40933  S  487.2  0.3  worker-3
    [… 16 rows …]
    top - 10:01:00 up 9 days, load average: 48.11, 9.10, 2.02
    %Cpu(s): 5.1 us, 2.0 sy, 41.7 wa
    [… 3 rows …]
    4021  web  20  0  40933  S  487.2  0.3  worker-3
    [… 16 rows …]
    top - 10:02:00 up 9 days, load average: 48.11, 9.10, 2.02
    %Cpu(s): 5.1 us, 2.0 sy, 41.7 wa
    [… 3 rows …]
    4021  web  20  0  40933  S  487.2  0.3  worker-3
    [… 15 rows …]
    4133  web  20  0  45909  S  1.3  0.5  worker-19
    ");
}

#[test]
fn a_heading_in_small_letters_is_one_if_it_comes_again() {
    let frame = |at: usize| {
        let row = |(n, disk): (usize, &str)| {
            let wait = if (at, disk) == (6, "sdb") { "812.40" } else { "1.25" };
            format!("{disk:<10} {:>8}.50 {wait:>9} {:>9}.75\n", n * 3 + at, at % 4)
        };
        let rows: String = ["sda", "sdb", "sdc", "sdd", "sde"].into_iter().enumerate().map(row).collect();
        format!("Device             r/s   r_await        w/s\n{rows}\n")
    };
    let digest = check("iostat -x 1 12", &(0..12).map(frame).collect::<String>());
    assert!(digest.contains("sdb  9.50  812.40  2.75 ← r_await"), "{digest}");
}

//! What debuggers, virtual machines and memory checkers print when a program is stuck or dead: the error with its place.
//!
//! Thread dumps of Java, backtraces of gdb and lldb, and the reports of valgrind and the sanitizers. Panics of Go and
//! Rust, and traces of exceptions, are known everywhere ([`super::events`]).

use std::collections::BTreeMap;

use super::reading::{Finding, Rank, Reading};

/// Frames looked at below an error.
const LOOK: usize = 60;
/// Threads that wait for a lock are all told up to this number.
const BLOCKED: usize = 6;
/// Lines of the description of a deadlock.
const DEADLOCK: usize = 10;

/// Marks what tells why and where, if the output is such a dump.
pub(super) fn mark(reading: &mut Reading, text: &str) {
    let known =
        ["java.lang.Thread.State:", "received signal SIG", "stop reason = ", "==ERROR: ", "Memcheck", "== Invalid "];
    if !known.iter().any(|sign| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some()) {
        return;
    }
    let lines: Vec<&str> = reading.pieces.iter().map(|piece| piece.text(text)).collect();
    let mut keep: Vec<usize> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let below = lines.get(index + 1..).unwrap_or_default();
        if line.contains("received signal SIG") || line.contains("stop reason = ") && line.contains("thread") {
            keep.push(index);
            keep.extend(crash_frames(below).map(|at| index + 1 + at));
        } else if is_memory_error(line) {
            keep.push(index);
            keep.extend(first_own_frame(below).map(|at| index + 1 + at));
        } else if line.starts_with("Found one Java-level deadlock") || line.starts_with("Found a total of") {
            keep.push(index);
            let told = |line: &&str| !line.starts_with("Java stack information");
            let described = below.iter().take(DEADLOCK).take_while(|line| told(line)).enumerate();
            keep.extend(described.filter(|(_, line)| line.contains(char::is_alphabetic)).map(|(at, _)| index + 1 + at));
        }
    }
    let states = thread_states(&lines, &mut keep);
    if !states.is_empty() {
        let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
        reading.say_always(format!("threads: {}", states.join(", ")));
    }
    keep.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Error)));
}

/// `==12== Invalid read of size 4`, `64 bytes in 1 blocks are definitely lost`, `==12==ERROR: AddressSanitizer: …`
fn is_memory_error(line: &str) -> bool {
    let signs =
        ["Invalid read of", "Invalid write of", "Invalid free()", "definitely lost in", "uninitialised", "==ERROR: "];
    line.starts_with("==") && signs.iter().any(|sign| line.contains(sign))
}

/// The first frame below, and the first that names a place in the program's own source.
fn first_own_frame(below: &[&str]) -> impl Iterator<Item = usize> {
    let frames = || below.iter().take(LOOK).take_while(|line| !line.trim_end().ends_with("==")).enumerate();
    let first = frames().find(|(_, line)| is_frame(line)).map(|(at, _)| at);
    let own =
        frames().find(|(_, line)| is_frame(line) && has_place(line) && !line.contains("vg_replace")).map(|(at, _)| at);
    first.into_iter().chain(own.filter(|own| Some(*own) != first))
}

/// Below a signal: frame 0, and the first frame with a source file.
fn crash_frames(below: &[&str]) -> impl Iterator<Item = usize> {
    let frames = || below.iter().take(LOOK).enumerate();
    let top = frames().find(|(_, line)| !line.trim().is_empty()).map(|(at, _)| at);
    let zero = frames().find(|(_, line)| line.contains("#0 ") || line.contains("frame #0")).map(|(at, _)| at);
    let own = frames().find(|(_, line)| is_frame(line) && has_place(line)).map(|(at, _)| at);
    let mut all: Vec<usize> = top.into_iter().chain(zero).chain(own).collect();
    all.dedup();
    all.into_iter()
}

/// `#1  0x0000 in parse (p=0x0) at parse.c:88`, `==12==    by 0x10: main (main.c:7)`, `frame #0: 0x1 app`main at a.c:3`
fn is_frame(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c == '=' || c == '*' || c.is_ascii_digit() || c.is_whitespace());
    let numbered = line.strip_prefix("frame #").or(line.strip_prefix('#'));
    let numbered = numbered.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    numbered || line.starts_with("at 0x") || line.starts_with("by 0x")
}

/// Whether a file with a line stands in it: `parse.c:88`.
fn has_place(line: &str) -> bool {
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(['(', ')', ',']);
        let place = word.split_once(':').filter(|(file, _)| file.contains('.'));
        place.is_some_and(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// How many threads are in which state. Of those that are blocked, the name, the frame and the lock are kept.
fn thread_states(lines: &[&str], keep: &mut Vec<usize>) -> BTreeMap<String, usize> {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    let mut blocked = 0;
    for (index, line) in lines.iter().enumerate() {
        let Some(state) = line.trim_start().strip_prefix("java.lang.Thread.State: ") else { continue };
        let state = state.split_whitespace().next().unwrap_or_default();
        *states.entry(state.to_owned()).or_default() += 1;
        if state != "BLOCKED" || blocked == BLOCKED {
            continue;
        }
        blocked += 1;
        keep.extend(index.checked_sub(1));
        let below = lines.get(index + 1..).unwrap_or_default().iter().take(LOOK).enumerate();
        let mut below = below.take_while(|(_, line)| !line.trim().is_empty());
        keep.extend(below.clone().next().map(|(at, _)| index + 1 + at));
        keep.extend(below.find(|(_, line)| line.contains("waiting to lock")).map(|(at, _)| index + 1 + at));
    }
    states
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn a_deadlock_is_told_with_the_threads_and_their_locks() {
        let idle: String = (0..20)
            .map(|n| format!("\"pool-{n}\" #{n} prio=5 tid=0x00{n} nid=0x{n} waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(Native Method)\n\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)\n\n"))
            .collect();
        let text = format!(
            "Full thread dump OpenJDK 64-Bit Server VM:\n\n{idle}\"transfer-a\" #31 prio=5 tid=0x0031 nid=0x31 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat bank.Account.deposit(Account.java:41)\n\t- waiting to lock <0x000000076ab1> (a bank.Account)\n\tat bank.Transfer.run(Transfer.java:18)\n\nFound one Java-level deadlock:\n=============================\n\"transfer-a\":\n  waiting to lock monitor 0x00a1 (object 0x000000076ab1, a bank.Account),\n  which is held by \"transfer-b\"\n\"transfer-b\":\n  waiting to lock monitor 0x00a2 (object 0x000000076ab9, a bank.Account),\n  which is held by \"transfer-a\"\n\nJava stack information for the threads listed above:\n"
        );
        insta::assert_snapshot!(check("jstack 1", &text), @r#"
        [digest of command output: 13 of 118 lines kept, 1,350 tokens; original 783a4e99d81b]
        20× "pool-*" * prio=* tid=* nid=* waiting on condition
        20× java.lang.Thread.State: WAITING (parking)
        20× at jdk.internal.misc.Unsafe.park(Native Method)
        threads: 1 BLOCKED, 20 WAITING
        [… 81 lines …]
        "transfer-a" #31 prio=5 tid=0x0031 nid=0x31 waiting for monitor entry
           java.lang.Thread.State: BLOCKED (on object monitor)
        	at bank.Account.deposit(Account.java:41)
        	- waiting to lock <0x000000076ab1> (a bank.Account)
        	at bank.Transfer.run(Transfer.java:18)
        Found one Java-level deadlock:
        [… 1 line …]
        "transfer-a":
          waiting to lock monitor 0x00a1 (object 0x000000076ab1, a bank.Account),
          which is held by "transfer-b"
        "transfer-b":
          waiting to lock monitor 0x00a2 (object 0x000000076ab9, a bank.Account),
          which is held by "transfer-a"
        Java stack information for the threads listed above:
        "#);
    }

    #[test]
    fn a_crash_is_told_with_its_frames() {
        let loaded: String = (0..60).map(|n| format!("[New Thread 0x7f{n} (LWP {n})]\n")).collect();
        let text = format!(
            "{loaded}\nThread 1 \"app\" received signal SIGSEGV, Segmentation fault.\n0x00007f12 in __strlen_avx2 () from /lib/libc.so.6\n#0  0x00007f12 in __strlen_avx2 () from /lib/libc.so.6\n#1  0x00005501 in g_hash ()\n#2  0x00005502 in parse_header (line=0x0) at src/header.c:88\n#3  0x00005503 in main (argc=2) at src/main.c:12\n"
        );
        insta::assert_snapshot!(check("gdb -batch -ex run -ex bt app", &text), @r#"
        [digest of command output: 9 of 67 lines kept, 507 tokens; original 40b9d8d5bb65]
        60× [New Thread * (LWP *)]
        [New Thread 0x7f0 (LWP 0)]
        [… 57 lines …]
        [New Thread 0x7f58 (LWP 58)]
        [New Thread 0x7f59 (LWP 59)]
        Thread 1 "app" received signal SIGSEGV, Segmentation fault.
        0x00007f12 in __strlen_avx2 () from /lib/libc.so.6
        #0  0x00007f12 in __strlen_avx2 () from /lib/libc.so.6
        #1  0x00005501 in g_hash ()
        #2  0x00005502 in parse_header (line=0x0) at src/header.c:88
        #3  0x00005503 in main (argc=2) at src/main.c:12
        "#);
    }

    #[test]
    fn a_report_of_valgrind_keeps_the_own_frame() {
        let noise: String =
            (0..40).map(|n| format!("==7== Warning: set address range perms: large range {n}\n")).collect();
        let text = format!(
            "==7== Memcheck, a memory error detector\n{noise}==7== Invalid read of size 4\n==7==    at 0x4C2: memcpy (vg_replace_strmem.c:1035)\n==7==    by 0x108: copy_row (table.c:52)\n==7==    by 0x109: main (main.c:9)\n==7==  Address 0x52 is 0 bytes after a block of size 40 alloc'd\n==7== \n==7== 64 bytes in 1 blocks are definitely lost in loss record 2 of 3\n==7==    at 0x4C3: malloc (in /usr/lib/vgpreload.so)\n==7==    by 0x10A: open_table (table.c:17)\n==7==    by 0x109: main (main.c:9)\n==7== \n==7== ERROR SUMMARY: 2 errors from 2 contexts\n"
        );
        insta::assert_snapshot!(check("valgrind ./app", &text), @"
        [digest of command output: 14 of 53 lines kept, 678 tokens; original 3384efe5acfa]
        ==7== Memcheck, a memory error detector
        ==7== Warning: set address range perms: large range 0 [×40]
        [… 38 lines …]
        ==7== Warning: set address range perms: large range 39
        ==7== Invalid read of size 4
        ==7==    at 0x4C2: memcpy (vg_replace_strmem.c:1035)
        ==7==    by 0x108: copy_row (table.c:52)
        ==7==    by 0x109: main (main.c:9)
        [… 1 line …]
        ==7==
        ==7== 64 bytes in 1 blocks are definitely lost in loss record 2 of 3
        ==7==    at 0x4C3: malloc (in /usr/lib/vgpreload.so)
        ==7==    by 0x10A: open_table (table.c:17)
        ==7==    by 0x109: main (main.c:9)
        ==7==
        ==7== ERROR SUMMARY: 2 errors from 2 contexts
        ");
    }
}

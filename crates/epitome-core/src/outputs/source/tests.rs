//! Digests of source files, as the model sees them.

use super::*;
use crate::outputs::testing::{Quarter, check, made, output};
use crate::outputs::{Interest, Readings, digest};
use crate::tokens::Tokens;

/// A function of `lines` lines that nobody needs to see.
fn body(lines: usize, indent: &str, end: &str) -> String {
    (0..lines).map(|n| format!("{indent}total = add(total, step_{n}, limit){end}\n")).collect()
}

/// The digest for an agent that edits some lines.
#[track_caller]
fn check_working_on(edited: &str, command: &str, text: &str) -> String {
    let interest = Interest::default().working_on([edited]);
    let made = digest(&output(command, text), Tokens(150), &interest, &Quarter, &Readings::default(), Effort::Full);
    made.expect("a digest is made").text
}

fn python() -> String {
    let body = body(20, "        ", "");
    format!(
        "\"\"\"Settles orders at the end of the day.\"\"\"\nimport logging\nfrom decimal import Decimal\n\nMAX_RETRY = 7\nRATES = {{\n    'a': 1,\n}}\n\n\n@dataclass\nclass SettlementEngine(Base):\n    \"\"\"Does it.\"\"\"\n\n    limit: Decimal = Decimal(5)\n\n    def __init__(self, store, *, dry=False):\n{body}\n    async def reconcile(\n        self,\n        orders,\n    ) -> Report:\n        # FIXME: rounds twice\n{body}\n\ndef main():\n    error = 'no error'\n{body}"
    )
}

#[test]
#[cfg(feature = "source-python")]
fn python_keeps_names_constants_and_marks() {
    insta::assert_snapshot!(check("cat app/settle.py", &python()), @r#"
    [digest of source: 13 of 87 lines kept, 740 tokens; original 309aeaad70dd]
    imports 2: logging, decimal
    1: """Settles orders at the end of the day."""
    5: MAX_RETRY = 7
    6: RATES = {
    11: @dataclass
    12: class SettlementEngine(Base):
    15:     limit: Decimal = Decimal(5)
    17:     def __init__(self, store, *, dry=False):
    39:     async def reconcile(
            self,
            orders,
        ) -> Report:
    43:         # FIXME: rounds twice
    66: def main():
    "#);
}

#[test]
#[cfg(feature = "source-rust")]
fn rust_keeps_types_members_and_constants() {
    let body = body(20, "        ", ";");
    let text = format!(
        "//! Pools.\n\nuse std::collections::BTreeMap;\nuse crate::{{a, b}};\n\n/// How many at most.\npub const LIMIT: usize = 40;\nstatic TABLE: &[u8] = &[\n    1,\n];\n\n/// A pool.\n#[derive(Debug)]\npub struct Pool<T> {{\n    /// Idle ones.\n    idle: Vec<T>,\n    size: usize,\n}}\n\npub enum Fault {{\n    Closed,\n    Full(usize),\n}}\n\nimpl<T> Iterator for Pool<T> {{\n    type Item = T;\n\n    /// The next one.\n    fn next(&mut self) -> Option<T> {{\n{body}    }}\n}}\n\npub(crate) async fn drain<T>(pool: &Pool<T>, limit: usize) -> Result<(), Fault> {{\n{body}}}\n\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn it_drains() {{\n{body}    }}\n}}\n"
    );
    insta::assert_snapshot!(check("git show HEAD:src/pool.rs", &text), @"
    [digest of source: 13 of 101 lines kept, 797 tokens; original 85dadf0bdbdf]
    imports 2: std::collections::BTreeMap, crate
    7: pub const LIMIT: usize = 40;
    8: static TABLE: &[u8] = &[
    14: pub struct Pool<T> {
    16:     idle: Vec<T>,
    17:     size: usize,
    20: pub enum Fault {
    21:     Closed,
    25: impl<T> Iterator for Pool<T> {
    26:     type Item = T;
    29:     fn next(&mut self) -> Option<T> {
    53: pub(crate) async fn drain<T>(pool: &Pool<T>, limit: usize) -> Result<(), Fault> {
    77: mod tests {
    79:     fn it_drains() {
    ");
}

#[test]
#[cfg(feature = "source-typescript")]
fn typescript_keeps_components_and_arrow_functions() {
    let body = body(15, "    ", ";");
    let text = format!(
        "import {{ useState }} from 'react';\nimport fs from 'node:fs';\n\nexport interface Props {{\n  name: string;\n  onClose?: () => void;\n}}\n\nexport const LIMIT = 5;\n\nexport const List = ({{ name }}: Props) => {{\n  const close = useCallback(() => {{\n{body}  }}, []);\n  return <div onClick={{close}}>{{name}}</div>;\n}};\n\nexport default class Store extends Base {{\n  private items: string[] = [];\n\n  async load(id: string): Promise<void> {{\n{body}  }}\n}}\n\ntype Id = string | number;\n"
    );
    insta::assert_snapshot!(check("sed -n '1,200p' src/List.tsx", &text), @"
    [digest of source: 10 of 54 lines kept, 406 tokens; original d82501126442]
    imports 2: react, node:fs
    4: export interface Props {
    5:   name: string;
    6:   onClose?: () => void;
    9: export const LIMIT = 5;
    11: export const List = ({ name }: Props) => {
    12:   const close = useCallback(() => {
    32: export default class Store extends Base {
    33:   private items: string[] = [];
    35:   async load(id: string): Promise<void> {
    54: type Id = string | number;
    ");
}

#[test]
#[cfg(feature = "source-javascript")]
fn tests_are_names_too() {
    let body = body(15, "    ", ";");
    let text = format!(
        "const assert = require('assert');\n\ndescribe('a pool', () => {{\n  beforeEach(() => {{}});\n\n  it('gives what it has', async () => {{\n{body}  }});\n\n  it.skip('waits when empty', () => {{\n{body}  }});\n}});\n\nmodule.exports = {{ x: 1 }};\n"
    );
    insta::assert_snapshot!(check("cat pool.test.js", &text), @"
    [digest of source: 4 of 43 lines kept, 348 tokens; original 714f57e2f638]
    imports 1: assert
    3: describe('a pool', () => {
    6:   it('gives what it has', async () => {
    24:   it.skip('waits when empty', () => {
    43: module.exports = { x: 1 };
    ");
}

#[test]
#[cfg(feature = "source-go")]
fn a_part_of_a_go_file_keeps_its_line_numbers() {
    let body = body(15, "\t", "");
    let text = format!(
        "\t\treturn nil\n\t}}\n\treturn err\n}}\n\nconst (\n\tModeAuto Mode = \"auto\"\n\tModeFast Mode = \"fast\"\n)\n\n// Conn is one.\ntype Conn struct {{\n\tauth string\n}}\n\nfunc (c *Conn) Auth(ctx context.Context) error {{\n{body}}}\n\nfunc New() *Conn {{\n{body}}}\n"
    );
    insta::assert_snapshot!(check("cd x && sed -n '300,400p' conn.go", &text), @r#"
    [digest of source: 9 of 50 lines kept, 319 tokens; original 661b0ab5a664]
    300: 		return nil
    302: 	return err
    306: 	ModeAuto Mode = "auto"
    307: 	ModeFast Mode = "fast"
    310: // Conn is one.
    311: type Conn struct {
    312: 	auth string
    315: func (c *Conn) Auth(ctx context.Context) error {
    333: func New() *Conn {
    "#);
}

#[test]
#[cfg(feature = "source-java")]
fn java_keeps_classes_and_methods() {
    let body = body(15, "        ", ";");
    let text = format!(
        "package shop;\n\nimport java.util.List;\n\n/** Sells. */\n@Service\npublic class Till extends Base {{\n    private static final int LIMIT = 9;\n    private final Store store;\n\n    public Till(Store store) {{\n{body}    }}\n\n    @Override\n    public List<Order> open(String id, int n) throws IOException {{\n{body}    }}\n\n    enum State {{ OPEN, SHUT }}\n}}\n"
    );
    insta::assert_snapshot!(check("cat Till.java", &text), @"
    [digest of source: 9 of 49 lines kept, 407 tokens; original fe699de2a277]
    imports 1: java.util.List
    5: /** Sells. */
    6: @Service
    public class Till extends Base {
    8:     private static final int LIMIT = 9;
    9:     private final Store store;
    11:     public Till(Store store) {
    29:     @Override
        public List<Order> open(String id, int n) throws IOException {
    48:     enum State { OPEN, SHUT }
    ");
}

#[test]
#[cfg(all(feature = "source-c", feature = "source-cpp"))]
fn c_keeps_functions_types_and_macros() {
    let body = body(20, "    ", ";");
    let c = format!(
        "#include <stdio.h>\n#include \"pool.h\"\n\n#define LIMIT 40\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\ntypedef struct pool {{\n    int size;\n    char *name;\n}} pool_t;\n\nint pool_open(const char *path, int flags);\n\nstatic char *pool_name(pool_t *pool)\n{{\n{body}}}\n"
    );
    insta::assert_snapshot!(check("cat pool.c", &c), @"
    [digest of source: 7 of 36 lines kept, 260 tokens; original c5002b08ec29]
    imports 2: stdio.h, pool.h
    4: #define LIMIT 40
    5: #define MAX(a, b) ((a) > (b) ? (a) : (b))
    7: typedef pool_t; struct pool
    8:     int size;
    9:     char *name;
    12: int pool_open(const char *path, int flags);
    14: static char *pool_name(pool_t *pool)
    ");
    let cpp = format!(
        "#include <vector>\n\nnamespace shop {{\n\ntemplate <typename T>\nclass Till : public Base {{\npublic:\n    explicit Till(int n);\n    virtual void close() = 0;\nprivate:\n    std::vector<T> items_;\n}};\n\nvoid Till<int>::add(const Order& order) {{\n{body}}}\n\n}}  // namespace shop\n"
    );
    insta::assert_snapshot!(check("cat till.cpp", &cpp), @"
    [digest of source: 6 of 37 lines kept, 262 tokens; original ad8e2c51e900]
    imports 1: vector
    3: namespace shop {
    6: class Till : public Base {
    8:     explicit Till(int n);
    9:     virtual void close() = 0;
    11:     std::vector<T> items_;
    14: void Till<int>::add(const Order& order) {
    ");
}

#[test]
fn other_languages_are_read_by_their_indentation() {
    let body = body(20, "    ", "");
    let text = format!(
        "module Shop\n  LIMIT = 5\n  class Till < Base\n    def open(id)\n{body}    end\n\n    def self.close\n{body}    end\n  end\nend\n"
    );
    insta::assert_snapshot!(check("cat lib/till.rb", &text), @"
    [digest of source: 5 of 50 lines kept, 412 tokens; original 8e75dcd07e23]
    1: module Shop
    2:   LIMIT = 5
    3:   class Till < Base
    4:     def open(id)
    27:     def self.close
    ");
}

#[test]
#[cfg(feature = "source-python")]
fn line_numbers_of_the_tool_are_kept() {
    let text: String = python().lines().enumerate().map(|(n, line)| format!("{:6}→{line}\n", n + 1)).collect();
    insta::assert_snapshot!(check("cat -n app/settle.py", &text), @r#"
    [digest of source: 13 of 87 lines kept, 935 tokens; original 7982471e1a8d]
    imports 2: logging, decimal
         1→"""Settles orders at the end of the day."""
         5→MAX_RETRY = 7
         6→RATES = {
        11→@dataclass
        12→class SettlementEngine(Base):
        15→    limit: Decimal = Decimal(5)
        17→    def __init__(self, store, *, dry=False):
        39→    async def reconcile(
        40→        self,
        41→        orders,
        42→    ) -> Report:
        43→        # FIXME: rounds twice
        66→def main():
    "#);
}

#[test]
#[cfg(feature = "source-go")]
fn many_definitions_are_folded_and_no_name_is_lost() {
    let functions: String =
        (0..150).map(|n| format!("func TestCase{n}(t *testing.T) {{\n{}}}\n\n", body(5, "\t", ""))).collect();
    let digest = check("cat case_test.go", &format!("package x\n\n{functions}"));
    assert!((0..150).all(|n| digest.contains(&format!("TestCase{n}"))), "{digest}");
    assert!(digest.len() < 3_000, "{}", digest.len());
    insta::assert_snapshot!(digest.lines().take(4).collect::<Vec<_>>().join("\n"), @"
    [digest of source: 12 of 1,201 lines kept, 7,888 tokens; original 4bdf7ae0c7f6]
    3: func TestCase0(t *testing.T) { [+ TestCase1, TestCase2, TestCase3, TestCase4, TestCase5, TestCase6, TestCase7, TestCase8, TestCase9, TestCase10, TestCase11, TestCase12]
    107: func TestCase13(t *testing.T) { [+ TestCase14, TestCase15, TestCase16, TestCase17, TestCase18, TestCase19, TestCase20, TestCase21, TestCase22, TestCase23, TestCase24, TestCase25]
    211: func TestCase26(t *testing.T) { [+ TestCase27, TestCase28, TestCase29, TestCase30, TestCase31, TestCase32, TestCase33, TestCase34, TestCase35, TestCase36, TestCase37, TestCase38]
    ");
}

#[test]
#[cfg(feature = "source-python")]
fn what_the_agent_edits_stays_verbatim() {
    let text = python().replace("    error = 'no error'\n", "    error = 'no error'\n    chosen = pick(orders)\n");
    let digest = check_working_on("chosen = pick(orders)", "cat app/settle.py", &text);
    let main = text.find("def main").and_then(|at| text.get(at..)).unwrap().trim_end();
    assert!(digest.contains(main), "{digest}");
    assert!(digest.contains("class SettlementEngine") && digest.contains("def reconcile"), "{digest}");
}

#[test]
#[cfg(feature = "source-python")]
fn what_the_agent_edits_is_found_behind_line_numbers() {
    let text = python()
        .replace("        # FIXME: rounds twice\n", "        # FIXME: rounds twice\n        chosen = pick(orders)\n");
    let text: String = text.lines().enumerate().map(|(n, line)| format!("{}\t{line}\n", n + 1)).collect();
    let digest = check_working_on("        chosen = pick(orders)", "cat -n app/settle.py", &text);
    let start = text.find("39\t    async def reconcile").or_else(|| text.find("\t    async def reconcile")).unwrap();
    let end = text.find("\tdef main").unwrap();
    let method = text[start..end].lines().filter(|line| line.contains("total = ")).collect::<Vec<_>>();
    assert!(method.len() == 20 && method.iter().all(|line| digest.contains(line)), "{digest}");
}

#[test]
fn of_a_long_function_the_edited_lines_are_kept_with_what_is_around_them() {
    let before = (0..300).map(|n| format!("    let value_{n} = compute({n}, limit, other);\n")).collect::<String>();
    let text = format!("fn long(limit: usize) {{\n{before}    let chosen = pick(&orders);\n{before}}}\n");
    let digest = check_working_on("    let chosen = pick(&orders);", "cat long.rs", &text);
    assert!(
        digest.contains("value_299 = compute(299, limit, other);\n    let chosen = pick(&orders);\n    let value_0"),
        "{digest}"
    );
    assert!(digest.contains("fn long(limit: usize) {"), "{digest}");
}

#[test]
fn a_line_that_stands_everywhere_does_not_say_what_is_edited() {
    let function = |n: usize| {
        format!("func f{n}() error {{\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n{}}}\n", body(9, "\t", ""))
    };
    let text: String = (0..9).map(function).collect();
    assert_eq!(check_working_on("\t\treturn nil, err\n", "cat x.go", &text), check("cat x.go", &text));
}

#[test]
fn a_message_of_the_command_is_kept() {
    let text = format!("{}sed: can't read other.py: No such file or directory\n", python());
    let digest = check("sed -n 1,400p app/settle.py other.py", &text);
    assert!(digest.ends_with("sed: can't read other.py: No such file or directory"), "{digest}");
}

#[test]
fn code_that_speaks_of_errors_is_no_error() {
    let text = python().replace("total = add", "raise ValueError");
    let made = made("", "cat app/settle.py", &text).unwrap();
    assert_eq!((made.kind, made.loss.errors.of), ("source", 0));
}

#[track_caller]
fn check_not_mine(command: &str, text: &str) {
    assert_eq!(Source.read(&output(command, text), Effort::Full), None, "{command}");
}

#[test]
fn other_outputs_are_not_source() {
    check_not_mine("cat README.md", "# Title\n\nSome text.\n\n- one\n- two\n");
    check_not_mine("cat package.json", "{\n  \"name\": \"x\",\n  \"version\": \"1\"\n}\n");
    let hits: String = (0..40).map(|n| format!("src/a.rs:{n}:    let x = f({n});\n")).collect();
    check_not_mine("grep -rn 'let x' src/a.rs", &hits);
    let log: String = (0..40).map(|n| format!("2025-01-01 10:00:{n:02} INFO handled request {n}\n")).collect();
    check_not_mine("tail -n 40 app.log", &log);
    let diff: String = (0..40).map(|n| format!("+    let x = {n};\n")).collect();
    check_not_mine("git show abc -- src/a.rs", &format!("diff --git a/src/a.rs b/src/a.rs\n@@ -1,2 +1,42 @@\n{diff}"));
    let files: String = (0..40).map(|n| format!("src/module_{n}.rs\n")).collect();
    check_not_mine("ls src/*.rs", &files);
    check_not_mine("cat x.rs", "");
    check_not_mine("cat x.rs", "fn main() {}");
}

#[test]
fn code_without_a_path_is_known_by_its_lines() {
    let reading =
        Source.read(&output("show", &python().replace("total = add", "self.total = add")), Effort::Full).unwrap();
    assert!(reading.sections.iter().any(|section| section.name == "reconcile"), "{reading:?}");
}

#[test]
fn pieces_cover_the_text_whatever_the_line_ends() {
    let unix = python();
    let windows = unix.replace('\n', "\r\n");
    for text in [&unix, &windows] {
        for effort in [Effort::Full, Effort::Quick] {
            let reading = Source.read(&output("cat x.py", text), effort).unwrap();
            let mut at = 0;
            for piece in &reading.pieces {
                assert!(text[at..piece.span.start].trim().is_empty(), "{piece:?}");
                at = piece.span.end;
            }
            assert!(text[at..].trim().is_empty());
            assert_eq!(reading.units(), text.lines().count());
        }
    }
}

#[test]
fn deep_nesting_and_broken_code_are_read_in_bounded_time() {
    for text in
        ["(".repeat(100_000), "{\n".repeat(50_000), "fn f() { if x { ".repeat(8_000), "<<>>'\"`\n".repeat(9_000)]
    {
        for path in ["x.rs", "x.ts", "x.cpp", "x.py", "x.java", "x.go", "x.js", "x.c"] {
            let _ = Source.read(
                &output(&format!("cat {path}"), &format!("fn main() {{\n    x = 1;\n{text}\n}}\n")),
                Effort::Full,
            );
        }
    }
}

#[test]
fn a_schema_that_a_database_prints_is_source() {
    let table = |n: usize| {
        let name = ["orders", "payments", "refunds", "parcels", "labels", "routes", "drivers", "depots"][n % 8];
        format!(
            "CREATE TABLE {name}_{n} (\n  id INTEGER PRIMARY KEY,\n  total REAL DEFAULT 0,\n  created_at TEXT NOT NULL\n);\n"
        )
    };
    let text: String = (0..24).map(table).collect();
    let digest = check("sqlite3 shop.db .schema", &text);
    assert!((0..24).all(|n| digest.contains(&format!("_{n}"))), "{digest}");
    assert!(digest.starts_with("[digest of source: "), "{digest}");
}

#[test]
fn a_mark_in_a_comment_is_shown() {
    let body: String = (0..40)
        .map(|n| format!("def settle_{n}(order):\n    total = order.total + {n}\n    return total\n\n"))
        .collect();
    let text =
        format!("{body}def late(order):\n    x = 1\n    # FIXME: loses cents above 4000\n    return x\n\n{body}");
    assert!(check("cat till.py", &text).contains("# FIXME: loses cents above 4000"));
}

#[test]
fn what_a_program_of_the_command_says_among_the_lines_is_kept() {
    let part = |name: char| -> String {
        (0..30).map(|n| format!("pub fn {name}{n}(a: u32) -> u32 {{\n    a * {n}\n}}\n")).collect()
    };
    let text = format!("{}head: data: Is a directory\n{}", part('f'), part('g'));
    let digest = check("head -n 200 a.rs data b.rs", &text);
    assert!(digest.contains("digest of source") && digest.contains("head: data: Is a directory"), "{digest}");
}

#[test]
fn code_without_a_name_is_code() {
    let text: String = (0..80).map(|n| format!("pub fn step_{n}(x: u32) -> u32 {{\n    x + {n}\n}}\n\n")).collect();
    assert_eq!(made("", "", &text).expect("a digest").kind, "source");
}

#[test]
fn files_of_other_forms_that_were_printed_too_are_named() {
    let settings: String = (0..18).map(|n| format!("ENV PART_{n}=value{n}\n")).collect();
    let services: String = ["web", "queue", "mailer"]
        .iter()
        .map(|name| {
            format!("  {name}:\n    image: shop/{name}\n    restart: always\n    environment:\n      A: \"1\"\n")
        })
        .collect();
    let body = "    total = items.sum\n".repeat(30);
    let text = format!(
        "FROM images.example/ruby:3 AS build\n{settings}CMD [\"run\"]\nservices:\n{services}class Till < Base\n  def settle(cart)\n{body}  end\nend\n"
    );
    let digest = check("cat Dockerfile compose.yaml app/till.rb", &text);
    for part in ["FROM images.example/ruby:3", "services:", "  queue:", "class Till", "settle"] {
        assert!(digest.contains(part), "{part}: {digest}");
    }
}

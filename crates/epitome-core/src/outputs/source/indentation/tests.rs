use super::*;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let rows: Vec<&str> = text.lines().collect();
    let found: Vec<String> = outline(&rows)
        .definitions
        .iter()
        .map(|found| format!("{}{} {}..{}", found.brief, found.parameters, found.rows.start, found.rows.end))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn shell_functions_and_constants() {
    check(
        "#!/bin/sh\nLIMIT=5\nretry() {\n  echo no\n}\nfunction main {\n  retry\n}\nif [ x ]; then\n  y\nfi\n",
        &["LIMIT = 5 1..2", "retry() 2..5", "function main 5..8"],
    );
}

#[test]
fn classes_with_methods() {
    check(
        "class Order < Base\n  def settle(a)\n    a\n  end\n\n  def open?\n    1\n  end\nend\n",
        &["class Order 0..9", "def settle(…) 1..4", "def open 5..8"],
    );
    check(
        "namespace Shop\n{\n    public class Till : Base\n    {\n        private int Count(Order order)\n        {\n        }\n    }\n}\n",
        &["namespace Shop 0..9", "class Till 2..8", "int Count(…) 4..7"],
    );
}

#[test]
fn tables_and_styles() {
    check("CREATE TABLE IF NOT EXISTS orders (\n  id int\n);\n", &["CREATE TABLE orders 0..3"]);
    check(".order {\n  a: b;\n}\n@media print {\n  x {\n    y: 1;\n  }\n}\n", &[".order 0..3", "@media print 3..8"]);
}

#[test]
fn an_image_is_told_by_its_instructions() {
    check(
        "ARG TAG=3\nFROM base:$TAG AS build\nRUN make\nFROM slim:12\nEXPOSE 8080\nCMD [\"run\"]\n",
        &[
            "ARG TAG=3 0..1",
            "FROM base:$TAG AS build 1..2",
            "FROM slim:12 3..4",
            "EXPOSE 8080 4..5",
            "CMD [\"run\"] 5..6",
        ],
    );
    check("SELECT a\nFROM orders\n", &[]);
}

#[test]
fn constants_stand_in_types_in_styles_and_in_calls() {
    check(
        "object Limits {\n  val MaxRetry = 7\n  val pool = newPool()\n}\n",
        &["object Limits 0..4", "MaxRetry = 7 1..2"],
    );
    check(
        ":root {\n  --brand: #0a7;\n}\n@keyframes fade { from { opacity: 0; } }\n",
        &[":root 0..3", "--brand: #0a7 1..2", "@keyframes fade 3..4"],
    );
    check("define('REGION', 'eu');\n", &["REGION = 'eu' 0..1"]);
}

#[test]
fn a_schema_names_all_that_it_defines() {
    check(
        "scalar Day\ndirective @auth(role: Role!) on OBJECT\ninput NewOrder { sku: ID! }\ntype Mutation {\n  place(order: NewOrder!): Order\n}\n",
        &["scalar Day 0..1", "directive @auth 1..2", "input NewOrder 2..3", "type Mutation 3..6", "place(…) 4..5"],
    );
}

#[test]
fn a_name_with_its_type_is_a_definition() {
    check(
        "module Shop where\n\ndata Order = Order\n  { total :: Int }\n\nsettle :: Order -> Int\nsettle o =\n  total o\n",
        &["module Shop 0..1", "data Order 2..4", "settle 5..6"],
    );
    check("data class Till(val a: Int) {\n}\n", &["data class Till 0..2"]);
}

#[test]
fn blocks_at_the_margin_define_in_an_unknown_language() {
    let filler = "\t@echo $@\n".repeat(70);
    check(
        &format!("VERSION ?= 5\n.PHONY: all\nall: main.o | build\n{filler}\nclean:\n\trm -rf x\n"),
        &["all: 2..73", "clean: 74..76"],
    );
}

#[test]
fn what_changes_in_a_database_is_told() {
    check("ALTER TABLE orders DROP COLUMN note;\n", &["ALTER TABLE orders DROP COLUMN note; 0..1"]);
}

#[test]
fn statements_and_prose_define_nothing() {
    check("if (a) {\n}\nfor (;;) {\n}\nclass of things that are.\nfoo(bar, () => {\n});\n", &[]);
}

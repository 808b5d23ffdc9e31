//! Reads a source file with the grammar of its language. Errors and fragments are no hindrance.

#[cfg(not(feature = "grammars"))]
use super::language::Language;
#[cfg(not(feature = "grammars"))]
use super::outline::Outline;

/// Without grammars every language is read by its indentation.
#[cfg(not(feature = "grammars"))]
pub fn outline(_: &Language, _: &str, _: &str) -> Option<Outline> {
    None
}

#[cfg(feature = "grammars")]
pub use with_grammars::outline;

#[cfg(feature = "grammars")]
mod with_grammars {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::ops::{ControlFlow, Range};

    use tree_sitter::{Node, ParseOptions, Parser};

    use super::super::language::{Language, Role, Rule};
    use super::super::outline::{Definition, HEAD_ROWS, NAME_CHARS, Outline, brief, parameters, valued};

    /// Functions that define a test by a call with its name.
    const TEST_CALLS: &[&str] = &["describe", "it", "test", "suite", "context", "specify", "bench"];
    /// The parser asks every hundred steps whether to go on. Files take one question in 140 bytes, the oddest part of a
    /// file one in 55; recovering from errors may take any number. What takes more than this is read by its indentation.
    const QUESTIONS_AT_LEAST: usize = 200;
    const BYTES_PER_QUESTION: usize = 20;
    /// Names that only a statement can have.
    const NO_NAMES: &[&str] =
        &["if", "for", "while", "switch", "catch", "return", "function", "else", "match", "do", "with"];
    /// A definition inside so many others is no longer one that somebody looks for.
    const DEEPEST: usize = 12;

    /// A parser with the roles of its grammar's nodes, by their number.
    struct Reader {
        parser: Parser,
        roles: Vec<Option<Rule>>,
    }

    thread_local! {
        // Setting a parser up takes longer than reading a small file.
        static READERS: RefCell<BTreeMap<&'static str, Option<Reader>>> = const { RefCell::new(BTreeMap::new()) };
    }

    /// What the file defines. `None`: there is no grammar for it, or reading would take too long.
    pub fn outline(language: &'static Language, path: &str, code: &str) -> Option<Outline> {
        let markup = path.to_ascii_lowercase().ends_with("tsx");
        let name = if markup { "tsx" } else { language.name };
        READERS.with_borrow_mut(|readers| {
            let reader = readers.entry(name).or_insert_with(|| Reader::new(name, language)).as_mut()?;
            reader.read(code)
        })
    }

    fn grammar(name: &str) -> Option<tree_sitter::Language> {
        match name {
            #[cfg(feature = "source-rust")]
            "rust" => Some(tree_sitter_rust::LANGUAGE.into()),
            #[cfg(feature = "source-python")]
            "python" => Some(tree_sitter_python::LANGUAGE.into()),
            #[cfg(feature = "source-go")]
            "go" => Some(tree_sitter_go::LANGUAGE.into()),
            #[cfg(feature = "source-java")]
            "java" => Some(tree_sitter_java::LANGUAGE.into()),
            #[cfg(feature = "source-javascript")]
            "javascript" => Some(tree_sitter_javascript::LANGUAGE.into()),
            #[cfg(feature = "source-typescript")]
            "typescript" => Some(tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
            #[cfg(feature = "source-typescript")]
            "tsx" => Some(tree_sitter_typescript::LANGUAGE_TSX.into()),
            #[cfg(feature = "source-c")]
            "c" => Some(tree_sitter_c::LANGUAGE.into()),
            #[cfg(feature = "source-cpp")]
            "cpp" => Some(tree_sitter_cpp::LANGUAGE.into()),
            _ => None,
        }
    }

    impl Reader {
        fn new(name: &str, language: &Language) -> Option<Reader> {
            let grammar = grammar(name)?;
            let mut parser = Parser::new();
            parser.set_language(&grammar).ok()?;
            let mut roles = vec![None; grammar.node_kind_count()];
            for rule in language.rules {
                let id = grammar.id_for_node_kind(rule.node, true);
                if let Some(role) = roles.get_mut(usize::from(id)).filter(|_| id != 0) {
                    *role = Some(*rule);
                }
            }
            Some(Reader { parser, roles })
        }

        fn read(&mut self, code: &str) -> Option<Outline> {
            let bytes = code.as_bytes();
            let mut left = QUESTIONS_AT_LEAST + bytes.len() / BYTES_PER_QUESTION;
            let mut go_on = |_: &tree_sitter::ParseState| match left.checked_sub(1) {
                Some(less) => {
                    left = less;
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            };
            let options = ParseOptions::new().progress_callback(&mut go_on);
            self.parser.reset();
            let tree = self.parser.parse_with_options(
                &mut |at, _| bytes.get(at..).unwrap_or_default(),
                None,
                Some(options),
            )?;
            let mut walk = Walk { code, outline: Outline::default(), around: Vec::new() };
            walk.outline.has_errors = tree.root_node().has_error();
            let mut cursor = tree.walk();
            loop {
                let node = cursor.node();
                let rule = self.roles.get(usize::from(node.kind_id())).copied().flatten();
                let into = match rule {
                    Some(rule) => walk.meet(node, &rule),
                    None => true,
                };
                if into && cursor.goto_first_child() {
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        return Some(walk.outline);
                    }
                }
            }
        }
    }

    struct Walk<'code> {
        code: &'code str,
        outline: Outline,
        /// Definitions around the node: where they end, and their roles.
        around: Vec<(usize, Role)>,
    }

    impl Walk<'_> {
        /// Takes a node in. Returns whether to look into it.
        fn meet(&mut self, node: Node<'_>, rule: &Rule) -> bool {
            while self.around.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
                self.around.pop();
            }
            if self.around.len() > DEEPEST {
                return false;
            }
            let in_function = self.around.iter().any(|(_, role)| *role == Role::Function);
            let in_type = self.around.last().is_some_and(|(_, role)| *role == Role::Type);
            match rule.role {
                Role::Comment => {
                    self.outline.comments.push(rows(node));
                    false
                }
                Role::Attribute => {
                    self.outline.attributes.push(rows(node));
                    false
                }
                Role::Import => {
                    if !in_function {
                        self.outline.imports.push(rows(node));
                        let only = node.named_child(0).filter(|child| child.kind().ends_with("identifier"));
                        let only = only.filter(|_| rule.name.is_empty() && node.kind().starts_with("import"));
                        let name = self.name(node, rule).map(|(name, _)| name);
                        self.outline.imported.extend(name.or_else(|| only.map(|only| self.text(only).to_owned())));
                    }
                    true
                }
                Role::Field => {
                    let function = function_value(node).is_some() && spans_rows(node, 3);
                    if is_method(node) || function {
                        return self.define(node, rule, Role::Function, in_function);
                    }
                    if in_type && !in_function {
                        self.outline.fields.push(node.start_position().row);
                    }
                    true
                }
                Role::Value => {
                    let function = function_value(node).is_some() || is_method(node);
                    if function && (spans_rows(node, 2) || !in_function) {
                        return self.define(node, rule, Role::Function, in_function);
                    }
                    if in_function {
                        return true;
                    }
                    let constant = node.kind().starts_with("const") || node.kind().starts_with("static");
                    if in_type && !constant && !self.text(node).contains("static final ") {
                        self.outline.fields.push(node.start_position().row);
                        return true;
                    }
                    // In a part of a file, a statement of a function whose beginning is missing.
                    if self.around.is_empty() && outermost(node).start_position().column > 0 {
                        return true;
                    }
                    if self.required(node) {
                        self.outline.imports.push(rows(node));
                        self.outline.imported.extend(self.name(node, rule).map(|(name, _)| name));
                        return false;
                    }
                    self.define(node, rule, Role::Value, in_function)
                }
                Role::Type => {
                    // `struct x` in the type of a parameter defines nothing.
                    let has_body = node.child_by_field_name("body").is_some();
                    let mention = node.kind().ends_with("_specifier") && !has_body;
                    // Go: what is named decides; only structs and interfaces have members.
                    mention || self.define(node, rule, Role::Type, in_function)
                }
                Role::Alias => self.define(node, rule, Role::Alias, in_function),
                Role::Function => self.define(node, rule, Role::Function, in_function),
                Role::Call => self.meet_call(node, rule, in_function),
            }
        }

        /// `describe("a pool", () => {…})` defines; other calls do not.
        fn meet_call(&mut self, node: Node<'_>, rule: &Rule, in_function: bool) -> bool {
            let Some((called, _)) = self.name(node, rule) else { return true };
            let word = called.split('.').next().unwrap_or_default();
            let in_tests = self.around.iter().all(|(_, role)| *role != Role::Function);
            if !TEST_CALLS.contains(&word) || !in_tests || in_function {
                return true;
            }
            let arguments = node.child_by_field_name("arguments");
            let Some(title) = arguments.and_then(|arguments| arguments.named_child(0)) else { return true };
            let title_text = self.text(title);
            if !title_text.starts_with(['"', '\'', '`']) || !spans_rows(node, 2) {
                return true;
            }
            let name: String = title_text.trim_matches(['"', '\'', '`']).to_owned();
            let role = if matches!(word, "describe" | "suite" | "context") { Role::Type } else { Role::Function };
            let row = node.start_position().row;
            self.outline.definitions.push(Definition {
                brief: format!("{word} {}", super::super::super::cut_to_chars(&name, NAME_CHARS)),
                name,
                role,
                depth: self.around.len(),
                local: false,
                rows: rows(node),
                head: row..row + 1,
                parameters: "",
            });
            self.around.push((node.end_byte(), role));
            true
        }

        fn define(&mut self, node: Node<'_>, rule: &Rule, role: Role, in_function: bool) -> bool {
            let Some((name, name_at)) = self.name(node, rule) else { return true };
            // Statements that a grammar takes for methods where the beginning is missing.
            if NO_NAMES.contains(&name.as_str()) {
                return true;
            }
            // Of a part of a function.
            let value =
                rule.role == Role::Value && self.around.is_empty() && outermost(node).start_position().column > 0;
            let local = in_function || value;
            // The keyword stands before the name, sometimes outside the node: `const f = …`, `type X struct`.
            let whole = outermost(node);
            let start = if whole.start_position().row == node.start_position().row { whole } else { node };
            let before = self.code.get(start.start_byte()..name_at.start).unwrap_or_default();
            let after = self.code.get(name_at.end..node.end_byte()).unwrap_or_default();
            let value = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
            let brief = match role {
                Role::Value => {
                    let value =
                        value.map(|value| self.text(value)).or_else(|| after.split_once('=').map(|(_, value)| value));
                    valued(&name, value.unwrap_or_default())
                }
                Role::Type if rule.name == ["type"] => brief_of_impl(before, &name),
                Role::Function if function_value(node).is_some() => brief(before, &name),
                Role::Type | Role::Alias | Role::Function | Role::Field | Role::Import | Role::Comment => {
                    brief(before, &name)
                }
                Role::Attribute | Role::Call => name.clone(),
            };
            let parameters = match role {
                Role::Function if function_value(node).is_some() => "(…)",
                Role::Function => parameters(after),
                Role::Type | Role::Alias | Role::Value | Role::Field | Role::Import | Role::Comment => "",
                Role::Attribute | Role::Call => "",
            };
            self.outline.definitions.push(Definition {
                name,
                role,
                depth: self.around.len(),
                local,
                rows: start.start_position().row..rows(node).end,
                head: self.head(start, node, role),
                brief,
                parameters,
            });
            self.around.push((node.end_byte(), role));
            true
        }

        /// The rows of a definition before its body.
        fn head(&self, start: Node<'_>, node: Node<'_>, role: Role) -> Range<usize> {
            let first = start.start_position().row;
            let of_body = |node: Node<'_>| node.child_by_field_name("body").map(|body| body.start_byte());
            let body = of_body(node).or_else(|| function_value(node).and_then(of_body));
            let end = match (body, role) {
                (Some(body), _) => {
                    let head = self.code.get(start.start_byte()..body).unwrap_or_default();
                    // Python's body begins behind the comments that open it.
                    let comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with(['#', '/']);
                    let rows: Vec<&str> = head.lines().collect();
                    first + rows.iter().rposition(|row| !comment(row)).map_or(1, |last| last + 1)
                }
                (None, Role::Function) => rows(node).end,
                (None, Role::Type | Role::Alias | Role::Value | Role::Field | Role::Import) => first + 1,
                (None, Role::Comment | Role::Attribute | Role::Call) => first + 1,
            };
            first..end.min(first + HEAD_ROWS).max(first + 1)
        }

        /// A node's name and where it stands.
        fn name(&self, node: Node<'_>, rule: &Rule) -> Option<(String, Range<usize>)> {
            let mut named = rule.name.iter().find_map(|field| node.child_by_field_name(field))?;
            // C wraps a name in what is declared of it: `*name(int)`.
            for _ in 0..DEEPEST {
                let inner = named.child_by_field_name("declarator");
                let inner =
                    inner.or_else(|| named.kind().contains("declarator").then(|| named.named_child(0)).flatten());
                match inner.filter(|_| named.kind().contains("declarator")) {
                    Some(inner) => named = inner,
                    None => break,
                }
            }
            let at = named.byte_range();
            let text = self.code.get(at.clone())?.trim_matches(['"', '\'', '`', '<', '>']);
            let first_line = text.lines().next().unwrap_or_default();
            (!first_line.is_empty()).then(|| (first_line.to_owned(), at))
        }

        fn text(&self, node: Node<'_>) -> &str {
            self.code.get(node.byte_range()).unwrap_or_default()
        }

        /// `const fs = require("fs")` brings a name in.
        fn required(&self, node: Node<'_>) -> bool {
            let value = node.child_by_field_name("value").map(|value| self.text(value));
            value.is_some_and(|value| value.starts_with("require("))
        }
    }

    /// The statement that a definition is all of: `export const f = …` around `f = …`.
    fn outermost(node: Node<'_>) -> Node<'_> {
        let mut outer = node;
        for _ in 0..4 {
            let Some(parent) = outer.parent() else { break };
            let wraps = matches!(
                parent.kind(),
                "export_statement"
                    | "lexical_declaration"
                    | "variable_declaration"
                    | "type_declaration"
                    | "const_declaration"
                    | "var_declaration"
                    | "ambient_declaration"
            );
            if !wraps {
                break;
            }
            outer = parent;
        }
        outer
    }

    /// `impl Display for Money`: what comes before the name belongs to it.
    fn brief_of_impl(before: &str, name: &str) -> String {
        brief(before, name)
    }

    /// The function that is a value: of a constant, a field, or wrapped in a call (`useCallback(() => …)`).
    fn function_value(node: Node<'_>) -> Option<Node<'_>> {
        let mut value = node.child_by_field_name("value")?;
        for _ in 0..4 {
            match value.kind() {
                "arrow_function" | "function_expression" | "generator_function" | "func_literal" => return Some(value),
                "call_expression" => value = value.child_by_field_name("arguments")?.named_child(0)?,
                "expression_list" | "parenthesized_expression" => value = value.named_child(0)?,
                _ => return None,
            }
        }
        None
    }

    /// A declaration of a function in C: `int f(int);`
    fn is_method(node: Node<'_>) -> bool {
        let mut declared = node.child_by_field_name("declarator");
        for _ in 0..4 {
            match declared {
                Some(node) if node.kind() == "function_declarator" => return true,
                Some(node) => declared = node.child_by_field_name("declarator"),
                None => return false,
            }
        }
        false
    }

    fn spans_rows(node: Node<'_>, count: usize) -> bool {
        rows(node).len() >= count
    }

    fn rows(node: Node<'_>) -> Range<usize> {
        let end = node.end_position();
        // A node that ends at the start of a row does not hold that row.
        let last = if end.column == 0 && end.row > node.start_position().row { end.row } else { end.row + 1 };
        node.start_position().row..last
    }
}

//! What a source file defines, by rows; both ways of reading one (grammar, indentation) end here.

use std::ops::Range;

use super::language::Role;

/// What was found in a source file. Rows are counted from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// In the order of the text, outer ones before inner ones.
    pub definitions: Vec<Definition>,
    /// Rows that bring names in.
    pub imports: Vec<Range<usize>>,
    /// What they bring in.
    pub imported: Vec<String>,
    /// Rows of comments and documentation.
    pub comments: Vec<Range<usize>>,
    /// Rows of fields, variants and signatures in interfaces.
    pub fields: Vec<usize>,
    /// Rows of attributes and decorators.
    pub attributes: Vec<Range<usize>>,
    /// The grammar could not read all of it.
    pub has_errors: bool,
}

/// One definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its identifier.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// How many definitions are around it.
    pub depth: usize,
    /// Inside a function: of interest to those who work on the function.
    pub local: bool,
    /// All of it.
    pub rows: Range<usize>,
    /// Up to where its body begins.
    pub head: Range<usize>,
    /// The shortest telling form without parameters: `fn settle`, `MAX_RETRY = 7`.
    pub brief: String,
    /// What stands for the parameters in it: `(…)`, `()` or nothing.
    pub parameters: &'static str,
}

/// A head of more rows is cut.
pub const HEAD_ROWS: usize = 12;
/// A value up to this length is told with its name.
const VALUE_CHARS: usize = 48;
/// Of a longer brief form only the name is told.
const BRIEF_CHARS: usize = 72;
/// No name that somebody wrote is longer.
pub const NAME_CHARS: usize = 160;

/// Words before a definition that say nothing of what it is.
pub(super) const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "constexpr",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "native",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "suspend",
    "synchronized",
    "unsafe",
    "virtual",
];
/// More of them, where a grammar knows what is defined.
const MORE_MODIFIERS: &[&str] = &["explicit", "friend", "typedef", "volatile"];

/// The brief form of a definition: what stands before its name without modifiers, and the name.
pub fn brief(before_name: &str, name: &str) -> String {
    let mut rest = before_name.trim_start();
    // Annotations and templates stand on lines of their own.
    if let Some((_, last)) = rest.rsplit_once('\n') {
        // C names a type behind its body.
        if last.trim_start().starts_with('}') {
            return format!("{} {name}", rest.split_whitespace().next().unwrap_or_default());
        }
        rest = last.trim_start();
    }
    loop {
        let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        // `const` alone may be the keyword of the definition; before a function it is a modifier.
        let modifies =
            MODIFIERS.contains(&word) || MORE_MODIFIERS.contains(&word) || (word == "const" && rest.contains("fn "));
        let Some(after) = rest.get(word.len()..).filter(|_| modifies) else { break };
        let after = match after.strip_prefix('(') {
            Some(visibility) => visibility.split_once(')').map_or("", |(_, after)| after),
            None => after,
        };
        rest = match after.trim_start().strip_prefix('"') {
            Some(abi) => abi.split_once('"').map_or("", |(_, after)| after).trim_start(),
            None => after.trim_start(),
        };
    }
    let words = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let joined = if rest.ends_with(char::is_whitespace) { format!("{words} {name}") } else { format!("{words}{name}") };
    let brief = if joined.chars().count() > BRIEF_CHARS { name.to_owned() } else { joined };
    super::super::cut_to_chars(brief.trim(), NAME_CHARS)
}

/// A value with its name, if it is short.
pub fn valued(name: &str, value: &str) -> String {
    let value = value.trim().trim_end_matches([';', ',']);
    let short = !value.is_empty() && !value.contains('\n') && value.chars().count() <= VALUE_CHARS;
    if short { format!("{name} = {value}") } else { name.to_owned() }
}

/// What stands for the parameters that follow a name.
pub fn parameters(after_name: &str) -> &'static str {
    let after = after_name.trim_start();
    let after = match after.strip_prefix('<') {
        Some(generics) => generics.split_once('>').map_or("", |(_, after)| after),
        None => after,
    };
    match after.strip_prefix('(') {
        Some(inner) if inner.trim_start().starts_with(')') => "()",
        Some(_) => "(…)",
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, name: &str, expected: &str) {
        assert_eq!(brief(before, name), expected);
    }

    #[test]
    fn the_keyword_stands_before_the_name() {
        check("pub(crate) async fn ", "settle", "fn settle");
        check("pub const unsafe extern \"C\" fn ", "raw", "fn raw");
        check("export default class ", "Engine", "class Engine");
        check("func (c *Conn) ", "authMethod", "func (c *Conn) authMethod");
        check("@Override\n    public List<Order> ", "open", "List<Order> open");
        check("static char *", "name_of", "char *name_of");
        check("const ", "MAX", "const MAX");
        check("typedef struct {\n    int size;\n} ", "pool_t", "typedef pool_t");
    }

    #[test]
    fn a_long_name_is_told_whole() {
        let name = "it_falls_back".repeat(8);
        check("func ", &name, &name);
    }

    #[test]
    fn short_values_are_told() {
        assert_eq!(valued("MAX_RETRY", " 7;"), "MAX_RETRY = 7");
        assert_eq!(valued("TABLE", "[\n1,\n]"), "TABLE");
    }

    #[test]
    fn parameters_are_marked() {
        assert_eq!(parameters("<T>(a: T)"), "(…)");
        assert_eq!(parameters("()"), "()");
        assert_eq!(parameters(" {"), "");
    }
}

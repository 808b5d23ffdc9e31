//! What is known of each language, as data: extensions, typical line openings, and which nodes of its grammar define.

/// A language.
#[derive(Debug)]
pub struct Language {
    /// As people call it.
    pub name: &'static str,
    /// Endings of file names, without the point.
    pub extensions: &'static [&'static str],
    /// How typical lines begin.
    pub openings: &'static [&'static str],
    /// Nodes of its grammar; none for a language that is read by its indentation.
    pub rules: &'static [Rule],
}

/// What a node of a grammar is.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The grammar's name of the node.
    pub node: &'static str,
    /// What it is to us.
    pub role: Role,
    /// Fields that lead to its name, the first that is there.
    pub name: &'static [&'static str],
}

/// What a part of a source file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Has members: a class, a trait, a module.
    Type,
    /// A name for a type.
    Alias,
    /// Has a body of statements.
    Function,
    /// A constant or a variable of a module; a function if a function is its value.
    Value,
    /// A field, a variant, a signature in an interface.
    Field,
    /// Brings names in.
    Import,
    /// For people.
    Comment,
    /// Belongs to what follows: an attribute, a decorator.
    Attribute,
    /// A call that may define a test: `describe("…", …)`.
    Call,
}

const NAME: &[&str] = &["name"];
const DECLARATOR: &[&str] = &["declarator"];

const fn rule(node: &'static str, role: Role, name: &'static [&'static str]) -> Rule {
    Rule { node, role, name }
}

/// All of them.
pub const LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        extensions: &["rs"],
        openings: &[
            "fn ",
            "pub fn ",
            "pub ",
            "impl",
            "use ",
            "let ",
            "let mut ",
            "match ",
            "#[",
            "mod ",
            "pub struct ",
            "async fn ",
            "///",
            "//!",
            "Some(",
            "Ok(",
            "Err(",
        ],
        rules: &[
            rule("function_item", Role::Function, NAME),
            rule("function_signature_item", Role::Function, NAME),
            rule("macro_definition", Role::Function, NAME),
            rule("struct_item", Role::Type, NAME),
            rule("enum_item", Role::Type, NAME),
            rule("union_item", Role::Type, NAME),
            rule("trait_item", Role::Type, NAME),
            rule("impl_item", Role::Type, &["type"]),
            rule("mod_item", Role::Type, NAME),
            rule("type_item", Role::Alias, NAME),
            rule("const_item", Role::Value, NAME),
            rule("static_item", Role::Value, NAME),
            rule("field_declaration", Role::Field, NAME),
            rule("enum_variant", Role::Field, NAME),
            rule("use_declaration", Role::Import, &["argument"]),
            rule("extern_crate_declaration", Role::Import, NAME),
            rule("line_comment", Role::Comment, &[]),
            rule("block_comment", Role::Comment, &[]),
            rule("attribute_item", Role::Attribute, &[]),
        ],
    },
    Language {
        name: "python",
        extensions: &["py", "pyi", "pyw"],
        openings: &[
            "def ",
            "async def ",
            "import ",
            "from ",
            "elif ",
            "self.",
            "class ",
            "@",
            "raise ",
            "except",
            "try:",
            "else:",
            "with ",
            "return ",
            "\"\"\"",
            "for ",
            "if __name__",
        ],
        rules: &[
            rule("function_definition", Role::Function, NAME),
            rule("class_definition", Role::Type, NAME),
            rule("type_alias_statement", Role::Alias, &["left"]),
            rule("assignment", Role::Value, &["left"]),
            rule("import_statement", Role::Import, NAME),
            rule("import_from_statement", Role::Import, &["module_name"]),
            rule("future_import_statement", Role::Import, NAME),
            rule("comment", Role::Comment, &[]),
            rule("decorator", Role::Attribute, &[]),
        ],
    },
    Language {
        name: "go",
        extensions: &["go"],
        openings: &[
            "func ",
            "package ",
            "import (",
            "type ",
            "if err != nil",
            "defer ",
            "go ",
            "var ",
            "return nil",
            "case ",
            "switch ",
            "for ",
            "//",
            "t.",
            "err ",
        ],
        rules: &[
            rule("function_declaration", Role::Function, NAME),
            rule("method_declaration", Role::Function, NAME),
            rule("type_spec", Role::Type, NAME),
            rule("type_alias", Role::Alias, NAME),
            rule("const_spec", Role::Value, NAME),
            rule("var_spec", Role::Value, NAME),
            rule("field_declaration", Role::Field, NAME),
            rule("method_elem", Role::Field, NAME),
            rule("import_spec", Role::Import, &["path"]),
            rule("import_declaration", Role::Import, &[]),
            rule("package_clause", Role::Import, &[]),
            rule("comment", Role::Comment, &[]),
        ],
    },
    Language {
        name: "java",
        extensions: &["java"],
        openings: &[
            "public ",
            "private ",
            "protected ",
            "import java",
            "package ",
            "@Override",
            "final ",
            "throw new ",
            "static ",
            "import org",
            "import com",
            "this.",
            "} catch (",
            "* ",
        ],
        rules: &[
            rule("class_declaration", Role::Type, NAME),
            rule("interface_declaration", Role::Type, NAME),
            rule("enum_declaration", Role::Type, NAME),
            rule("record_declaration", Role::Type, NAME),
            rule("annotation_type_declaration", Role::Type, NAME),
            rule("method_declaration", Role::Function, NAME),
            rule("constructor_declaration", Role::Function, NAME),
            rule("compact_constructor_declaration", Role::Function, NAME),
            rule("field_declaration", Role::Value, DECLARATOR),
            rule("constant_declaration", Role::Value, DECLARATOR),
            rule("enum_constant", Role::Field, NAME),
            rule("import_declaration", Role::Import, &[]),
            rule("package_declaration", Role::Import, &[]),
            rule("line_comment", Role::Comment, &[]),
            rule("block_comment", Role::Comment, &[]),
        ],
    },
    Language {
        name: "typescript",
        extensions: &["ts", "mts", "cts", "tsx"],
        openings: &[
            "import ",
            "export ",
            "interface ",
            "type ",
            "const ",
            "let ",
            "private ",
            "public ",
            "async ",
            "await ",
            "return ",
            "readonly ",
            "export type ",
            "export interface ",
            "} from '",
            "if (",
            "expect(",
        ],
        rules: SCRIPT,
    },
    Language {
        name: "javascript",
        extensions: &["js", "jsx", "mjs", "cjs"],
        openings: &[
            "const ",
            "let ",
            "var ",
            "function ",
            "import ",
            "export ",
            "module.exports",
            "require(",
            "return ",
            "async ",
            "await ",
            "if (",
            "});",
            "console.",
            "it(",
            "describe(",
        ],
        rules: SCRIPT,
    },
    Language {
        name: "cpp",
        extensions: &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "inl", "ipp", "cu"],
        openings: &[
            "#include",
            "namespace ",
            "class ",
            "template",
            "std::",
            "public:",
            "private:",
            "using ",
            "virtual ",
            "auto ",
            "const ",
            "static ",
            "inline ",
            "#define",
            "void ",
        ],
        rules: C,
    },
    Language {
        name: "c",
        extensions: &["c", "h"],
        openings: &[
            "#include", "#define", "static ", "struct ", "int ", "void ", "typedef ", "char ", "if (", "return ",
            "#ifdef", "#endif", "const ",
        ],
        rules: C,
    },
    Language {
        name: "shell",
        extensions: &["sh", "bash", "zsh", "fish"],
        openings: &[
            "#!/bin",
            "#!/usr/bin/env",
            "set -",
            "if [",
            "then",
            "fi",
            "echo ",
            "export ",
            "done",
            "esac",
            "local ",
            "function ",
        ],
        rules: &[],
    },
    Language {
        name: "ruby",
        extensions: &["rb", "rake", "gemspec"],
        openings: &[
            "def ",
            "end",
            "class ",
            "module ",
            "require ",
            "attr_",
            "do |",
            "include ",
            "private",
            "it \"",
            "describe ",
        ],
        rules: &[],
    },
    Language {
        name: "php",
        extensions: &["php"],
        openings: &[
            "<?php",
            "namespace ",
            "use ",
            "public function ",
            "private function ",
            "$this->",
            "$",
            "function ",
        ],
        rules: &[],
    },
    Language {
        name: "c#",
        extensions: &["cs"],
        openings: &[
            "using System",
            "using ",
            "namespace ",
            "public ",
            "private ",
            "protected ",
            "internal ",
            "[",
            "var ",
            "/// <summary>",
        ],
        rules: &[],
    },
    Language {
        name: "kotlin",
        extensions: &["kt", "kts"],
        openings: &[
            "fun ",
            "val ",
            "var ",
            "package ",
            "import ",
            "class ",
            "data class ",
            "override fun ",
            "object ",
            "private fun ",
        ],
        rules: &[],
    },
    Language {
        name: "swift",
        extensions: &["swift"],
        openings: &[
            "func ",
            "let ",
            "var ",
            "import ",
            "struct ",
            "guard ",
            "extension ",
            "class ",
            "private func ",
            "override func ",
            "init(",
        ],
        rules: &[],
    },
    Language {
        name: "sql",
        extensions: &["sql"],
        openings: &[
            "CREATE ", "ALTER ", "INSERT ", "SELECT ", "create ", "alter ", "insert ", "select ", "--", "BEGIN",
            "COMMIT", "DROP ", "GRANT ",
        ],
        rules: &[],
    },
    Language {
        name: "scala",
        extensions: &["scala", "sbt"],
        openings: &[
            "def ",
            "val ",
            "import ",
            "object ",
            "class ",
            "case class ",
            "trait ",
            "package ",
            "case ",
            "override def ",
        ],
        rules: &[],
    },
    Language {
        name: "lua",
        extensions: &["lua"],
        openings: &["local ", "function ", "end", "return ", "if ", "local function ", "--"],
        rules: &[],
    },
    Language {
        name: "css",
        extensions: &["css", "scss", "less", "sass"],
        openings: &[".", "#", "@media", "@import", ":root", "--", "}"],
        rules: &[],
    },
    Language {
        name: "proto",
        extensions: &["proto"],
        openings: &[
            "syntax = ",
            "message ",
            "service ",
            "rpc ",
            "enum ",
            "import ",
            "package ",
            "option ",
            "repeated ",
        ],
        rules: &[],
    },
    Language {
        name: "other code",
        extensions: &[
            "dart",
            "ex",
            "exs",
            "erl",
            "hs",
            "ml",
            "mli",
            "clj",
            "cljs",
            "groovy",
            "gradle",
            "pl",
            "pm",
            "r",
            "jl",
            "zig",
            "nim",
            "vue",
            "svelte",
            "astro",
            "tf",
            "hcl",
            "ps1",
            "m",
            "mm",
            "v",
            "sv",
            "vhd",
            "asm",
            "s",
            "f90",
            "el",
            "lisp",
            "fs",
            "vb",
            "d",
            "sol",
            "graphql",
            "gql",
            "prisma",
            "cmake",
            "mk",
            "dockerfile",
            "makefile",
            "bzl",
            "bazel",
            "nix",
        ],
        openings: &[],
        rules: &[],
    },
];

const SCRIPT: &[Rule] = &[
    rule("function_declaration", Role::Function, NAME),
    rule("generator_function_declaration", Role::Function, NAME),
    rule("function_signature", Role::Function, NAME),
    rule("method_definition", Role::Function, NAME),
    rule("abstract_method_signature", Role::Function, NAME),
    rule("class_declaration", Role::Type, NAME),
    rule("abstract_class_declaration", Role::Type, NAME),
    rule("interface_declaration", Role::Type, NAME),
    rule("enum_declaration", Role::Type, NAME),
    rule("internal_module", Role::Type, NAME),
    rule("module", Role::Type, NAME),
    rule("type_alias_declaration", Role::Alias, NAME),
    rule("variable_declarator", Role::Value, NAME),
    rule("public_field_definition", Role::Field, NAME),
    rule("field_definition", Role::Field, &["property"]),
    rule("pair", Role::Field, &["key"]),
    rule("property_signature", Role::Field, NAME),
    rule("method_signature", Role::Field, NAME),
    rule("enum_assignment", Role::Field, NAME),
    rule("import_statement", Role::Import, &["source"]),
    rule("comment", Role::Comment, &[]),
    rule("decorator", Role::Attribute, &[]),
    rule("call_expression", Role::Call, &["function"]),
];

const C: &[Rule] = &[
    rule("function_definition", Role::Function, DECLARATOR),
    rule("preproc_function_def", Role::Function, NAME),
    rule("declaration", Role::Value, DECLARATOR),
    rule("struct_specifier", Role::Type, NAME),
    rule("union_specifier", Role::Type, NAME),
    rule("enum_specifier", Role::Type, NAME),
    rule("class_specifier", Role::Type, NAME),
    rule("namespace_definition", Role::Type, NAME),
    rule("concept_definition", Role::Alias, NAME),
    rule("type_definition", Role::Alias, DECLARATOR),
    rule("alias_declaration", Role::Alias, NAME),
    rule("preproc_def", Role::Value, NAME),
    rule("field_declaration", Role::Field, DECLARATOR),
    rule("enumerator", Role::Field, NAME),
    rule("preproc_include", Role::Import, &["path"]),
    rule("using_declaration", Role::Import, &[]),
    rule("comment", Role::Comment, &[]),
];

/// Endings of files that are no code: other kinds know them.
const NOT_CODE: &[&str] = &[
    "md",
    "mdx",
    "markdown",
    "rst",
    "adoc",
    "txt",
    "json",
    "jsonl",
    "ndjson",
    "json5",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "env",
    "csv",
    "tsv",
    "log",
    "lock",
    "sum",
    "mod",
    "xml",
    "html",
    "htm",
    "svg",
    "diff",
    "patch",
    "ipynb",
    "out",
    "output",
    "properties",
    "example",
    "plist",
];

/// What the name of a file says.
#[derive(Debug, Clone, Copy)]
pub enum Named {
    /// Code in this language.
    Code(&'static Language),
    /// Something else.
    NotCode,
    /// Nothing.
    Nothing,
}

/// What the name of a file says of its language.
pub fn by_path(path: &str) -> Named {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let ending = file.rsplit('.').next().unwrap_or_default();
    match by_extension(ending) {
        Some(language) => Named::Code(language),
        None if NOT_CODE.contains(&ending) => Named::NotCode,
        None => Named::Nothing,
    }
}

/// The language of files that end in `.extension`.
pub fn by_extension(extension: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
}

/// So many lines that begin alike are no chance.
const UNIFORM: usize = 16;
/// Of the lines that hold anything, so many of a hundred must begin as a language's lines do.
const TYPICAL: usize = 14;

/// What typical line openings say of the language.
pub fn by_content<'text>(lines: impl Iterator<Item = &'text str>) -> Option<&'static Language> {
    let mut scores = [0_usize; LANGUAGES.len()];
    let mut distinct = [0_u32; LANGUAGES.len()];
    let mut count = 0;
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        count += 1;
        for ((language, score), seen) in LANGUAGES.iter().zip(&mut scores).zip(&mut distinct) {
            if let Some(at) = language.openings.iter().position(|opening| line.starts_with(opening)) {
                *score += 1;
                *seen |= 1 << at.min(31);
            }
        }
    }
    let scored = scores.iter().zip(&distinct).zip(LANGUAGES);
    // Many different openings of one language say more than one that many languages share.
    let best = scored.max_by_key(|((score, seen), _)| (**score * seen.count_ones() as usize, **score))?;
    let ((score, seen), language) = best;
    let proven = seen.count_ones() >= 3 && *score * 100 >= count * TYPICAL;
    if proven { Some(language) } else { uniform(&scores, count) }
}

/// The language of a text in which every fourth line begins as lines of this one alone do: one function after another.
fn uniform(scores: &[usize], count: usize) -> Option<&'static Language> {
    let known = || scores.iter().zip(LANGUAGES).filter(|(_, language)| !language.rules.is_empty());
    let (most, language) = known().max_by_key(|(score, _)| **score)?;
    let only_one = known().filter(|(score, _)| *score == most).count() == 1;
    (only_one && *most >= UNIFORM && most * 4 >= count).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let name = match by_path(path) {
            Named::Code(language) => language.name,
            Named::NotCode => "not code",
            Named::Nothing => "nothing",
        };
        assert_eq!(name, expected);
    }

    #[test]
    fn a_path_names_the_language() {
        check("/a/b.go", "go");
        check("C:\\x\\Y.TSX", "typescript");
        check("HEAD:src/x.rs", "rust");
        check("Dockerfile", "other code");
        check("README.md", "not code");
        check("bin/run", "nothing");
    }

    #[test]
    fn line_openings_tell_the_language() {
        let of = |text: &str| by_content(text.lines()).map(|language| language.name);
        assert_eq!(of("import os\nfrom a import b\n\ndef f(x):\n    self.x = 1\n    return 2\n"), Some("python"));
        assert_eq!(
            of("use std::fmt;\n\npub struct X;\nimpl X {\n    fn f() {\n        let mut a = 1;\n"),
            Some("rust")
        );
        assert_eq!(of(&"pub fn a() {\n    1\n}\n".repeat(20)), Some("rust"));
        assert_eq!(of("It is a text about nothing.\nIt has lines.\nAnd no code.\n"), None);
    }

    #[test]
    fn openings_fit_the_set_they_are_counted_in() {
        assert!(LANGUAGES.iter().all(|language| language.openings.len() <= 32));
    }
}

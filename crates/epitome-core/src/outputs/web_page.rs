//! Web pages: the words of a page without its tags, and what a browser's tree of a page holds.

mod html;
mod snapshot;

use super::reading::Reading;
use super::{Effort, OutputKind, ToolOutput};

/// The kind of pages, as HTML or as a browser's tree of roles and names.
pub struct WebPage;

impl OutputKind for WebPage {
    fn name(&self) -> &'static str {
        "web page"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        snapshot::read(&output.text).or_else(|| html::read(&output.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, output};

    #[test]
    fn a_page_keeps_its_title_headings_and_words() {
        let rows: String =
            (0..40).map(|n| format!("<tr><td>plan {n}</td><td class=\"price\">{} €</td></tr>\n", n * 3)).collect();
        let text = format!(
            "<!DOCTYPE html>\n<html><head><title>Prices &amp; plans</title>\n<style>body {{ color: red }}</style>\n<script>var error = '<p>';\n</script></head>\n<body><nav><a href=\"/\">Home</a> <a href=\"/help\">Help</a></nav>\n<h1>Plans</h1>\n<p>All plans   can be <b>cancelled</b> at any time.</p>\n<table>{rows}</table>\n<h2>Questions</h2><p>Write to us.</p></body></html>"
        );
        insta::assert_snapshot!(check("curl https://example.org/prices", &text), @"
        [digest of web page: 7 of 46 passages kept, 634 tokens; original f4c9a68953aa]
        218 words, 2 headings, 2 links, 1 table
        Prices & plans
        Home Help
        Plans
        All plans can be cancelled at any time.
        plan 0 | 0 € [×40]
        [… 39 passages …]
        Questions
        Write to us.
        ");
    }

    #[test]
    fn the_page_of_a_server_that_failed_says_so() {
        let filler = "<div class=\"padding padding padding padding padding\"></div>\n".repeat(60);
        let text = format!(
            "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n{filler}<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
        );
        insta::assert_snapshot!(check("curl https://example.org", &text), @"
        [digest of web page: 3 of 3 passages kept, 938 tokens; original 50ab032946ba]
        7 words, 1 heading
        502 Bad Gateway
        502 Bad Gateway
        nginx
        ");
    }

    #[test]
    fn a_browser_s_tree_keeps_headings_fields_and_alerts() {
        let items: String = (0..50)
            .map(|n| format!("      - listitem [ref=e{n}]:\n        - link \"Item {n}\" [ref=f{n}] [cursor=pointer]:\n          - /url: /items/{n}\n"))
            .collect();
        let text = format!(
            "### Page\n- Page URL: https://example.org/sign-up\n- Page Title: Sign up\n### Snapshot\n```yaml\n- generic [ref=e1]:\n  - heading \"Create account\" [level=1] [ref=e2]\n  - alert [ref=e3]: Password is too short\n  - textbox \"Email\" [ref=e4]: ann@example.org\n  - generic [ref=e5]: We never share it.\n    - list [ref=e6]:\n{items}  - button \"Save\" [disabled] [ref=e9]\n```\n"
        );
        insta::assert_snapshot!(check("browser_snapshot", &text), @r#"
        [digest of web page: 7 of 159 lines kept, 1,441 tokens; original 199d880991dd]
        107 nodes
        1 button: Save
        50 links: Item 0, Item 1, Item 2, Item 3, Item 4, Item 5, Item 6, Item 7, Item 8, Item 9, Item 10, Item 11
        - Page URL: https://example.org/sign-up
        - Page Title: Sign up
        [… 1 line …]
        heading "Create account"
        alert: Password is too short
        textbox "Email": ann@example.org
        generic: We never share it.
        [… 151 lines …]
        button "Save" [disabled]
        "#);
    }

    #[test]
    fn like_passages_are_told_once_and_an_error_among_them_is_kept() {
        let offers: String =
            (0..60).map(|n| format!("<li>Offer {n}: a chair for {} crowns, ready to be sent.</li>", n * 7)).collect();
        let more = offers.replace("chair", "table");
        let text = format!(
            "<html><head><title>Shop</title></head><body><nav><a href=/>Home</a><a href=/c>Cart</a><a href=/h>Help</a></nav><ul>{offers}</ul><div class=\"query-error\">SQLSTATE[HY000]: the server has gone away</div><ul>{more}</ul></body></html>"
        );
        insta::assert_snapshot!(check("curl shop.example.org", &text), @"
        [digest of web page: 6 of 123 passages kept, 1,841 tokens; original b73f6a866b8e]
        1,330 words, 3 links
        Shop
        Home Cart Help
        Offer 0: a chair for 0 crowns, ready to be sent. [×60]
        [… 59 passages …]
        SQLSTATE[HY000]: the server has gone away
        Offer 0: a table for 0 crowns, ready to be sent. [×60]
        [… 58 passages …]
        Offer 59: a table for 413 crowns, ready to be sent.
        ");
    }

    #[test]
    fn what_is_no_page_is_not_taken_for_one() {
        let list = "- a point of a list\n- another one\n".repeat(20);
        let yaml = "- name: build\n  run: make\n- name: test\n  run: make test\n".repeat(9);
        let source = "const a = <div>x</div>;\nexport default a;\n".repeat(9);
        for text in [list.as_str(), &yaml, &source, "", "<", "<html", "<p>"] {
            assert!(WebPage.read(&output("x", text), Effort::Full).is_none(), "{text}");
        }
    }
}

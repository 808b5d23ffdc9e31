//! What sessions cost, for people and for programs.

use std::collections::BTreeMap;

use epitome_core::tokens::Tokens;
use epitome_store::records::Spending;
use serde_json::{Value, json};

use crate::table::{Column, rows};
use crate::units::counted;

/// What was paid, what would have been, and what is left of the difference; a loss is shown as one.
pub(super) fn lines(spending: &Spending) -> Vec<String> {
    if *spending == Spending::default() {
        return vec!["  nothing is known of prices yet".to_owned()];
    }
    let money = |what: &str, dollars: String| vec![format!("  {what}"), dollars];
    let cells = vec![
        money("calls", spending.paid.to_string()),
        money("summaries that we asked for", spending.summaries.to_string()),
        money("the same calls without us", spending.without_us.to_string()),
        money("saved", spending.net().to_string()),
    ];
    let mut lines = rows(&[Column::Left, Column::Right], &cells);
    if spending.unpriced > 0 {
        let unpriced = counted(spending.unpriced, "call");
        lines.push(format!("  {unpriced} more of models whose prices are not known"));
    }
    lines
}

/// The same, for programs.
pub(in crate::commands) fn to_json(spending: &Spending) -> Value {
    json!({
        "paid_usd": spending.paid,
        "summaries_usd": spending.summaries,
        "without_us_usd": spending.without_us,
        "saved_usd": spending.net(),
        "unpriced_calls": spending.unpriced,
    })
}

/// Tokens that each kind of edit saved, in a line.
pub(super) fn saved_by(kinds: &BTreeMap<String, i64>) -> String {
    let shown = kinds.iter().map(|(kind, tokens)| {
        let sign = if *tokens < 0 { "-" } else { "" };
        format!("{kind} {sign}{}", Tokens(tokens.unsigned_abs()))
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use epitome_core::money::Dollars;

    use super::*;

    #[test]
    fn a_loss_is_shown_as_a_loss() {
        let spending = Spending {
            paid: Dollars::new(1.25),
            without_us: Dollars::new(1.0),
            summaries: Dollars::new(0.05),
            unpriced: 2,
            ..Spending::default()
        };
        insta::assert_snapshot!(lines(&spending).join("\n"), @r"
          calls                           $1.25
          summaries that we asked for   $0.0500
          the same calls without us       $1.00
          saved                        -$0.3000
          2 calls more of models whose prices are not known
        ");
        assert_eq!(to_json(&spending)["saved_usd"], json!(-0.3));
    }

    #[test]
    fn what_edits_saved_is_told_by_kind() {
        let kinds = [("digests", 12_000), ("repairs", -30)].map(|(kind, tokens)| (kind.to_owned(), tokens));
        assert_eq!(saved_by(&kinds.into()), "digests 12,000, repairs -30");
    }
}

//! What calls cost, and a limit to it that holds before the money is spent.

use epitome_core::catalogue::ModelFacts;
use epitome_core::money::{self, Dollars, Usage};
use epitome_core::tokens::Tokens;

use crate::error::ProviderError;

/// US dollars for a call that no cache helps; `None` where the model's price is not known.
pub fn cost(facts: &ModelFacts, input: Tokens, output: Tokens) -> Option<f64> {
    let usage = Usage { prompt: input.0, output: output.0, ..Usage::default() };
    money::cost(&usage, facts).map(Dollars::as_f64)
}

/// Whether a call may be made that takes this prompt and at most that answer.
pub fn allow(
    model: &str,
    facts: &ModelFacts,
    cap: Option<f64>,
    spent: f64,
    input: Tokens,
    output: Tokens,
) -> Result<(), ProviderError> {
    let Some(cap) = cap else { return Ok(()) };
    let next = cost(facts, input, output).ok_or_else(|| ProviderError::NoPrice { model: model.to_owned() })?;
    if spent + next > cap {
        return Err(ProviderError::SpendCap { cap, spent, next });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use epitome_core::catalogue::Catalogue;

    use super::*;

    fn facts() -> ModelFacts {
        let json = r#"{"m": {"context": 8000, "input": 1.0, "output": 4.0}}"#;
        Catalogue::embedded().with_overrides(json).expect("right").lookup("m").facts().clone()
    }

    #[test]
    fn the_limit_holds_before_the_call() {
        let allowed = |cap, spent| allow("m", &facts(), cap, spent, Tokens(500_000), Tokens(125_000));
        assert_eq!(cost(&facts(), Tokens(500_000), Tokens(125_000)), Some(1.0));
        assert!(allowed(None, 100.0).is_ok());
        assert!(allowed(Some(1.0), 0.0).is_ok());
        assert!(matches!(allowed(Some(1.0), 0.01), Err(ProviderError::SpendCap { .. })));
        assert!(matches!(allowed(Some(0.0), 0.0), Err(ProviderError::SpendCap { .. })));
    }

    #[test]
    fn without_a_price_no_limit_can_be_kept() {
        let unknown = Catalogue::embedded().lookup("nobody-knows-it").facts().clone();
        let refused = allow("nobody-knows-it", &unknown, Some(1.0), 0.0, Tokens(1), Tokens(1));
        assert!(matches!(refused, Err(ProviderError::NoPrice { .. })));
    }
}

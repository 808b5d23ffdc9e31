//! Which engine a name stands for (M3).

use std::sync::Arc;

use epitome_core::budget::{Budget, Policy};
use epitome_core::cost::trigger::Outlook;
use epitome_core::engine::{BUILT_IN, ContextEngine, Occasion, Plan, Reason, RegisterError, Registry};
use epitome_core::engines::compressor::Compressor;
use epitome_core::model::Conversation;
use epitome_core::tokens::{Sizes, TokenCounter};

/// An engine of a name of its own, which works as the built-in one does.
struct Named(&'static str, Compressor);

fn named(name: &'static str) -> Arc<dyn ContextEngine> {
    Arc::new(Named(name, Compressor::new(Policy::default())))
}

impl ContextEngine for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &str {
        "works as the built-in engine does"
    }

    fn should_compress(&self, budget: &Budget) -> Option<Reason> {
        self.1.should_compress(budget)
    }

    fn outlook(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        counter: &dyn TokenCounter,
    ) -> Outlook {
        self.1.outlook(conversation, sizes, budget, counter)
    }

    fn plan(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        occasion: &Occasion,
        counter: &dyn TokenCounter,
    ) -> Plan {
        self.1.plan(conversation, sizes, budget, occasion, counter)
    }
}

#[test]
fn an_engine_is_used_only_where_it_is_named() {
    let mut registry = Registry::new(&Policy::default());
    assert_eq!(registry.register_context_engine(named("mine")), Ok(()));
    for (asked, found) in [("mine", "mine"), (BUILT_IN, BUILT_IN), ("nobody", BUILT_IN)] {
        assert_eq!(registry.resolve(asked).engine.name(), found, "{asked}");
    }
}

#[test]
fn nobody_takes_the_name_of_another_engine() {
    let mut registry = Registry::new(&Policy::default());
    assert_eq!(registry.register_context_engine(named(BUILT_IN)), Err(RegisterError::Reserved));
    assert_eq!(registry.register_context_engine(named("mine")), Ok(()));
    assert_eq!(registry.register_context_engine(named("mine")), Err(RegisterError::Taken("mine".to_owned())));
}

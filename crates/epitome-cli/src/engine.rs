//! Which engine works: the one that `context.engine` names, or the built-in one where there is none of that name (M3).

use std::path::Path;
use std::sync::Arc;

use epitome_core::engine::{BUILT_IN, ContextEngine, Registry};

use crate::config::{Loaded, Matter, Origin, Remark, Sources, nearest};
use crate::failure::Failure;
use crate::session::policy;

/// The engine that works.
pub(crate) struct Chosen {
    pub(crate) engine: Arc<dyn ContextEngine>,
    /// Why it is not the one that was configured.
    pub(crate) missing: Option<Missing>,
}

/// An engine that was configured and does not exist.
#[derive(Debug, Clone)]
pub(crate) struct Missing {
    pub(crate) name: String,
    /// Where it was looked for, and what to do next.
    pub(crate) remark: Remark,
}

/// Looks for the engine of `context.engine`: a directory, an engine registered in code, the built-in one.
pub(crate) fn find_engine(loaded: &Loaded, directory: &Path) -> Chosen {
    let registry = Registry::new(&policy(&loaded.config));
    let resolved = registry.resolve(&loaded.config.context.engine);
    let missing = resolved.missing.map(|name| {
        let remark = missing(&name, loaded, &registry, directory);
        Missing { name, remark }
    });
    Chosen { engine: resolved.engine, missing }
}

/// The same for a command that works with it: says that the built-in one works in its place.
///
/// # Errors
/// When there is none of that name and `context.strict` is set.
pub(crate) fn choose_engine(loaded: &Loaded, sources: &Sources) -> Result<Chosen, Failure> {
    let chosen = find_engine(loaded, &sources.directory);
    match &chosen.missing {
        Some(missing) if loaded.config.context.strict => Err(Failure::input(missing.remark.in_full())),
        Some(missing) => {
            let used = chosen.engine.name();
            crate::commands::say(&format!(
                "warning: {}\n  the built-in engine `{used}` works in its place; context.strict: true makes this an error",
                missing.remark.in_full()
            ));
            Ok(chosen)
        }
        None => Ok(chosen),
    }
}

fn missing(name: &str, loaded: &Loaded, registry: &Registry, directory: &Path) -> Remark {
    let place = Path::new("plugins").join("context_engine").join(name);
    let found = if directory.join(&place).is_dir() {
        "it is there, but engines in directories are not run"
    } else {
        "there is no such directory"
    };
    let names: Vec<&str> = registry.engines().map(|engine| engine.name()).collect();
    let registered: Vec<&str> = names.iter().copied().filter(|name| *name != BUILT_IN).collect();
    let registered = if registered.is_empty() { "there are none".to_owned() } else { registered.join(", ") };
    let looked_in =
        format!("{}/ ({found}), registered engines ({registered}), the built-in engine ({BUILT_IN})", place.display());
    let hint = nearest(name, names.iter().copied()).map_or_else(
        || "set context.engine to one that `epitome engines` lists".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    let origin = loaded.origins.get("context.engine").filter(|origin| **origin != Origin::Default).cloned();
    let matter = Matter::NoEngine { name: name.to_owned(), looked_in };
    Remark { origin, key: Some("context.engine".to_owned()), matter, hint: Some(hint), excerpt: None }
}

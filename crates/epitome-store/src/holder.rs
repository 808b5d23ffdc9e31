//! Who holds a lease: an owner, and the store in a process that it asked through. If that process has ended, its lease has.

use std::hash::{BuildHasher, RandomState};

/// Tells the stores of all processes apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instance(pub(crate) u64);

impl Instance {
    pub(crate) fn new() -> Instance {
        Instance(RandomState::new().hash_one(std::process::id()))
    }

    /// An owner as it is stored.
    pub(crate) fn holds_for(self, owner: &str) -> String {
        format!("{:016x}/{owner}", self.0)
    }

    /// The instance of an owner that is stored; `None`: nothing is known of its process.
    pub(crate) fn of(holder: &str) -> Option<Instance> {
        let (instance, _) = holder.split_once('/')?;
        u64::from_str_radix(instance, 16).ok().filter(|_| instance.len() == 16).map(Instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_names_its_instance() {
        let instance = Instance::new();
        assert_eq!(Instance::of(&instance.holds_for("owner/1")), Some(instance));
        for nobody in ["owner", "1234/owner", "zzzzzzzzzzzzzzzz/owner", ""] {
            assert_eq!(Instance::of(nobody), None, "{nobody}");
        }
    }
}

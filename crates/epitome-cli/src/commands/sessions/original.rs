//! `epitome sessions original`: something that was removed, byte for byte.

use super::Archive;
use crate::arguments::OriginalArguments;
use crate::failure::Failure;
use crate::files;

pub(super) async fn run(arguments: &OriginalArguments, archive: &Archive) -> Result<(), Failure> {
    let hash = arguments.hash.trim().to_ascii_lowercase();
    let is_hash = (8..=64).contains(&hash.len()) && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !is_hash {
        return Err(Failure::input(format!("{hash:?} is not a hash: 8 to 64 hexadecimal digits are expected"))
            .hint("digests name it (original 37ce07ed0562), and `epitome sessions search` does"));
    }
    let found = archive.store.originals(&archive.tenant, &hash).await.map_err(|error| archive.failed(&error))?;
    match found.as_slice() {
        [original] => files::write(arguments.output.as_deref(), &original.bytes),
        [] => Err(Failure::input(format!("nothing is kept under {hash} in {}", archive.name))
            .hint("it may be another tenant's, pruned since, or not kept (store.originals: off)")),
        [_, _, ..] => {
            Err(Failure::input(format!("{} originals begin with {hash}", found.len()))
                .hint("give more digits of the hash"))
        }
    }
}

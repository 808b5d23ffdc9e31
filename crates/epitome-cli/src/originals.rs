//! What edits removed, kept in a directory: pieces by content hash, and a receipt for each compaction.
//!
//! ```text
//! DIR/objects/3f/2a9c…      a removed piece, named by the hash of its bytes
//! DIR/receipts/77c0….json   how to undo the compaction whose result has this hash
//! ```
//! A receipt is written after the pieces it names, so one that exists can be followed.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use epitome_core::fingerprint::ContentHash;
use epitome_wire::{Spliced, unsplice};
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, shown};
use crate::files::{Readers, write_file};

/// A directory of originals.
pub(crate) struct Originals {
    directory: PathBuf,
}

/// How one compaction is undone.
#[derive(Debug, Serialize, Deserialize)]
struct Receipt {
    version: u32,
    /// What the session was before.
    input: String,
    /// What it became.
    output: String,
    /// How many compactions of the same session lie before this one, and must be undone after it.
    depth: usize,
    pieces: Vec<Piece>,
}

/// A place in the compressed session, and what stood there.
#[derive(Debug, Serialize, Deserialize)]
struct Piece {
    start: usize,
    end: usize,
    /// The hash of what stands there now.
    replacement: String,
    /// The hash of what stood there.
    original: String,
}

const RECEIPT_VERSION: u32 = 1;

/// A session given back.
pub(crate) struct Restored {
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Whether it is known to be the original: the compressed session has not grown since.
    pub(crate) exact: bool,
}

impl Originals {
    /// A directory to keep originals in; it is made if need be.
    pub(crate) fn create(directory: &Path) -> Result<Originals, Failure> {
        let originals = Originals { directory: directory.to_owned() };
        for part in [originals.objects(), originals.receipts()] {
            make_private(&part).map_err(|error| Failure::outside(shown(&part), &error))?;
        }
        Ok(originals)
    }

    /// A directory that holds originals.
    pub(crate) fn open(directory: &Path) -> Result<Originals, Failure> {
        let originals = Originals { directory: directory.to_owned() };
        if originals.receipts().is_dir() {
            return Ok(originals);
        }
        Err(Failure::input(format!("{}: no originals are kept here", shown(directory)))
            .hint("give the directory that was given to `epitome compress --originals`"))
    }

    /// Keeps what a compaction removed: `texts` as digests and summaries cite them, and the receipt that undoes it.
    pub(crate) fn keep(
        &self,
        before: &[u8],
        spliced: &Spliced,
        texts: &[std::borrow::Cow<'_, str>],
    ) -> Result<(), Failure> {
        for text in texts {
            self.put(text.as_bytes())?;
        }
        let mut pieces = Vec::with_capacity(spliced.patches.len());
        for patch in &spliced.patches {
            let removed = before.get(patch.original.clone()).unwrap_or_default();
            let replacement = spliced.bytes.get(patch.replacement.clone()).unwrap_or_default();
            pieces.push(Piece {
                start: patch.replacement.start,
                end: patch.replacement.end,
                replacement: ContentHash::of(replacement).to_string(),
                original: self.put(removed)?.to_string(),
            });
        }
        let (input, output) = (ContentHash::of(before).to_string(), ContentHash::of(&spliced.bytes).to_string());
        let path = self.receipts().join(format!("{output}.json"));
        if path.is_file() {
            let known = self.read_receipt(&path)?.input;
            // A session that had nothing to be done is its own result: the receipt that is there says more.
            return if known == input || pieces.is_empty() {
                Ok(())
            } else {
                Err(Failure::input(format!("{}: another session became the same bytes", shown(&path)))
                    .hint("keep the originals of this one in another directory"))
            };
        }
        let depth = self.fitting(before)?.map_or(0, |receipt| receipt.depth + 1);
        let receipt = Receipt { version: RECEIPT_VERSION, input, output, depth, pieces };
        let text = serde_json::to_vec_pretty(&receipt).expect("a receipt holds nothing that JSON cannot say");
        write_file(&path, &text, Readers::Owner).map_err(|error| Failure::outside(shown(&path), &error))
    }

    /// Undoes the compaction that led to `bytes`, or to the beginning of it.
    pub(crate) fn restore(&self, bytes: &[u8]) -> Result<Option<Restored>, Failure> {
        let hash = ContentHash::of(bytes).to_string();
        let exact = self.receipts().join(format!("{hash}.json"));
        if exact.is_file() {
            let receipt = self.read_receipt(&exact)?;
            let restored = self.follow(&receipt, bytes)?;
            return match restored {
                Some(original) if ContentHash::of(&original).to_string() == receipt.input => {
                    Ok(Some(Restored { bytes: original, exact: true }))
                }
                Some(_) | None => Err(Failure::input(format!("{}: the receipt is damaged", shown(&exact)))),
            };
        }
        let Some(receipt) = self.fitting(bytes)? else { return Ok(None) };
        Ok(self.follow(&receipt, bytes)?.map(|bytes| Restored { bytes, exact: false }))
    }

    /// The latest compaction that led to the beginning of `bytes`: the session has grown since, and every edited place is
    /// still where it was. Receipts of other sessions that cannot be read are none of our business here.
    fn fitting(&self, bytes: &[u8]) -> Result<Option<Receipt>, Failure> {
        let receipts = self.list_receipts()?.into_iter().filter_map(|path| self.read_receipt(&path).ok());
        let fitting = receipts.filter(|receipt| !receipt.pieces.is_empty() && receipt.fits(bytes));
        Ok(fitting.max_by(|one, other| (one.depth, &one.output).cmp(&(other.depth, &other.output))))
    }

    /// One piece, by its hash or the beginning of it.
    pub(crate) fn piece(&self, hash: &str) -> Result<Vec<u8>, Failure> {
        let hash = hash.trim().to_ascii_lowercase();
        if hash.len() < 4 || hash.len() > 64 || !hash.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Failure::input(format!("{hash:?} is not a hash: 4 to 64 hexadecimal digits are expected")));
        }
        let (directory, beginning) = hash.split_at(2);
        let mut found = Vec::new();
        let directory = self.objects().join(directory);
        let whole = directory.join(beginning);
        if whole.is_file() {
            found.push(whole);
        } else if directory.is_dir() {
            let entries = fs::read_dir(&directory).map_err(|error| Failure::outside(shown(&directory), &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| Failure::outside(shown(&directory), &error))?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                // A killed process may have left an unfinished file, whose name goes on behind the hash.
                if name.starts_with(beginning) && name.len() + 2 == ContentHash::DIGITS {
                    found.push(entry.path());
                }
            }
        }
        match found.as_slice() {
            [] => Err(Failure::input(format!("nothing is kept under {hash} in {}", shown(&self.directory)))),
            [path] => read_piece(path),
            [_, _, ..] => Err(Failure::input(format!("{} pieces begin with {hash}", found.len()))
                .hint("give more digits of the hash")),
        }
    }

    fn follow(&self, receipt: &Receipt, bytes: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let mut originals = Vec::with_capacity(receipt.pieces.len());
        for piece in &receipt.pieces {
            originals.push(self.piece(&piece.original)?);
        }
        let pieces: Vec<(Range<usize>, &[u8])> = receipt
            .pieces
            .iter()
            .zip(&originals)
            .map(|(piece, original)| (piece.start..piece.end, original.as_slice()))
            .collect();
        Ok(unsplice(bytes, &pieces))
    }

    fn put(&self, bytes: &[u8]) -> Result<ContentHash, Failure> {
        let hash = ContentHash::of(bytes);
        let digits = hash.to_string();
        let (directory, name) = digits.split_at(2);
        let directory = self.objects().join(directory);
        let path = directory.join(name);
        if !path.is_file() {
            let written = make_private(&directory).and_then(|()| write_file(&path, bytes, Readers::Owner));
            written.map_err(|error| Failure::outside(shown(&path), &error))?;
        }
        Ok(hash)
    }

    fn read_receipt(&self, path: &Path) -> Result<Receipt, Failure> {
        let text = fs::read(path).map_err(|error| Failure::outside(shown(path), &error))?;
        let receipt: Receipt = serde_json::from_slice(&text)
            .map_err(|error| Failure::input(format!("{}: the receipt is damaged: {error}", shown(path))))?;
        if receipt.version == RECEIPT_VERSION {
            Ok(receipt)
        } else {
            Err(Failure::input(format!("{}: version {} is newer than this program", shown(path), receipt.version)))
        }
    }

    fn list_receipts(&self) -> Result<Vec<PathBuf>, Failure> {
        let directory = self.receipts();
        let failure = |error: io::Error| Failure::outside(shown(&directory), &error);
        let entries = fs::read_dir(&directory).map_err(failure)?;
        let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
        let is_receipt = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        Ok(paths.map_err(failure)?.into_iter().filter(is_receipt).collect())
    }

    fn objects(&self) -> PathBuf {
        self.directory.join("objects")
    }

    fn receipts(&self) -> PathBuf {
        self.directory.join("receipts")
    }
}

impl Receipt {
    /// Whether every edited place still holds what the compaction put there.
    fn fits(&self, bytes: &[u8]) -> bool {
        self.pieces.iter().all(|piece| {
            let there = bytes.get(piece.start..piece.end);
            there.is_some_and(|there| ContentHash::of(there).to_string() == piece.replacement)
        })
    }
}

/// A piece that is what its name says.
fn read_piece(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::outside(shown(path), &error))?;
    let named = path.file_name().unwrap_or_default().to_string_lossy();
    if ContentHash::of(&bytes).to_string().ends_with(&*named) {
        return Ok(bytes);
    }
    Err(Failure::input(format!("{}: the piece is damaged: its content has another hash", shown(path))))
}

fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

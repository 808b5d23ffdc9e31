//! `epitome expand`: the original back, byte for byte, or one piece of it.

use std::process::ExitCode;

use super::say;
use crate::arguments::{Common, ExpandArguments};
use crate::failure::{Failure, shown};
use crate::files;
use crate::originals::Originals;

/// Undoes a compaction, or prints one removed piece.
pub(crate) fn run(arguments: &ExpandArguments, common: &Common) -> Result<ExitCode, Failure> {
    let originals = Originals::open(&arguments.originals)?;
    if let Some(hash) = &arguments.hash {
        files::write(arguments.output.as_deref(), &originals.piece(hash)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (name, bytes) = files::read(arguments.file.as_deref())?;
    let mut restored = originals.restore(&bytes)?.ok_or_else(|| {
        let directory = shown(&arguments.originals);
        Failure::input(format!("{name}: no compaction kept in {directory} led to this session"))
            .hint("the session may have been written anew since, or its originals are kept elsewhere")
    })?;
    let mut undone = 1;
    if arguments.all {
        while let Some(earlier) = originals.restore(&restored.bytes)?.filter(|earlier| earlier.bytes != restored.bytes)
        {
            restored = earlier;
            undone += 1;
        }
    }
    files::write(arguments.output.as_deref(), &restored.bytes)?;
    if common.json {
        let report = serde_json::json!({"undone": undone, "exact": restored.exact, "bytes": restored.bytes.len()});
        say(&report.to_string());
    } else if !restored.exact {
        say("note: the session has grown since it was compressed; what was added is kept behind the original");
    }
    Ok(ExitCode::SUCCESS)
}

//! `epitome convert`: a session in another dialect.

use std::process::ExitCode;

use epitome_wire::convert;

use super::configuration;
use crate::arguments::{Common, ConvertArguments};
use crate::failure::Failure;
use crate::files;
use crate::session::Session;

/// Writes a session in another dialect.
pub(crate) fn run(arguments: &ConvertArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, _) = configuration(common, arguments.session.flags())?;
    let session = Session::read(&arguments.session, &loaded)?;
    let bytes = convert::write(session.conversation(), arguments.to.into());
    files::write(arguments.output.as_deref(), &bytes)?;
    Ok(ExitCode::SUCCESS)
}

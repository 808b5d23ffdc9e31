//! Connections, and what becomes of their errors.

use std::error::Error as _;
use std::time::Duration;

use deadpool_postgres::{Client, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime};
use tokio_postgres::NoTls;
use tokio_postgres::error::SqlState;

use crate::store::StoreError;

/// Why an attempt came to nothing.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server undid it, because of somebody else: the next attempt may do.
    Undone(StoreError),
    /// The connection broke: whether it was done is not known.
    Lost(StoreError),
    /// Another attempt would end the same way.
    Final(StoreError),
}

/// One gateway asks for so many things at once; the rest waits.
const CONNECTIONS: usize = 16;

/// For a connection, and for what somebody else has locked. A request would rather be sent as it is than wait longer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn config(url: &str) -> Result<tokio_postgres::Config, StoreError> {
    // What the parser says might cite the password.
    let unreadable = || StoreError::Unavailable { what: "the URL of the database cannot be read".to_owned() };
    let mut config: tokio_postgres::Config = url.parse().map_err(|_| unreadable())?;
    if config.get_application_name().is_none() {
        config.application_name("epitome");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        // A network that swallows everything is noticed as well.
        config.tcp_user_timeout(2 * PATIENCE);
    }
    Ok(config)
}

/// Connections that are used again.
pub(super) fn pool(config: tokio_postgres::Config) -> Result<Pool, StoreError> {
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    Pool::builder(Manager::from_config(config, NoTls, recycling))
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async {
                // What is acknowledged is on the disk, whatever the server does where nobody asks.
                let settings = format!(
                    "SET lock_timeout = {};
                    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
                    PATIENCE.as_millis()
                );
                client.batch_execute(&settings).await.map_err(HookError::Backend)
            })
        }))
        .wait_timeout(Some(PATIENCE))
        .create_timeout(Some(PATIENCE))
        .recycle_timeout(Some(PATIENCE))
        .build()
        .map_err(|error| StoreError::Unavailable { what: error.to_string() })
}

pub(super) async fn client(pool: &Pool) -> Result<Client, Failure> {
    pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) => Failure::Final(described(&error)),
        PoolError::Timeout(_) | PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
            Failure::Final(StoreError::Unavailable { what: "the database gives no connection in time".to_owned() })
        }
    })
}

impl Failure {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Failure::Undone(error) | Failure::Lost(error) | Failure::Final(error) => error,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Final(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        let passing = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
        let ending = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
        match error.code() {
            Some(code) if passing.contains(code) => Failure::Undone(described(&error)),
            Some(code) if ending.contains(code) => Failure::Lost(described(&error)),
            Some(_) => Failure::Final(described(&error)),
            None if error.is_closed() || error.source().is_some_and(|source| source.is::<std::io::Error>()) => {
                Failure::Lost(described(&error))
            }
            None => Failure::Final(described(&error)),
        }
    }
}

/// What the server said, without the detail, which cites values.
fn described(error: &tokio_postgres::Error) -> StoreError {
    let what = match (error.as_db_error(), error.source()) {
        (Some(said), _) => format!("{} ({})", said.message(), said.code().code()),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    };
    StoreError::Unavailable { what }
}

//! Listening.

use std::net::SocketAddr;

use anyhow::Context;
use axum::Router;

/// Serves for ever.
pub(crate) async fn serve(listen: SocketAddr, router: Router) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind(listen).await.with_context(|| listen.to_string())?;
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        // Only the times suffer where this is not possible.
        drop(stream.set_nodelay(true));
    });
    Ok(axum::serve(listener, router).await?)
}

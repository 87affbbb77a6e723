//! A static file server for one directory, bound to the loopback address, with a log of what was asked. It serves `dist/`
//! to the browser tests and benchmarks; Trunk's server would build the page first.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use tower_http::services::ServeDir;

/// One served directory.
pub struct Site {
    directory: PathBuf,
    listener: TcpListener,
    port: u16,
}

/// One answered request.
#[derive(Debug, Clone)]
pub struct Served {
    /// Path and query as asked.
    pub url: String,
    /// HTTP status of the answer.
    pub status: u16,
}

impl Site {
    /// Listens on 127.0.0.1; on a free port where `port` is 0.
    ///
    /// # Errors
    /// Where the directory has no `index.html`, or the port is taken; the text says what to do.
    pub fn open(directory: PathBuf, port: u16) -> Result<Self, String> {
        if !directory.join("index.html").is_file() {
            return Err(format!("there is no {}/index.html: run make build first", directory.display()));
        }
        let taken = |error| format!("cannot listen on port {port}: {error}");
        let listener = TcpListener::bind(("127.0.0.1", port)).map_err(taken)?;
        listener.set_nonblocking(true).map_err(taken)?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        Ok(Self { directory, listener, port })
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Answers requests for as long as the process lives, and reports each.
    ///
    /// # Errors
    /// Where the system refuses the socket.
    pub fn serve(self, log: impl FnMut(Served) + Send + 'static) -> std::io::Result<()> {
        let log = Arc::new(Mutex::new(log));
        let report = from_fn(move |request: Request, next: Next| {
            let log = Arc::clone(&log);
            async move {
                let url = request.uri().to_string();
                let mut response = next.run(request).await;
                // A page that was built again shows up at the next reload.
                response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
                response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
                let status = response.status().as_u16();
                (log.lock().unwrap_or_else(PoisonError::into_inner))(Served { url, status });
                response
            }
        });
        let site = Router::new().fallback_service(ServeDir::new(self.directory).precompressed_gzip()).layer(report);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            axum::serve(listener, site).await
        })
    }
}

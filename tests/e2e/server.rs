//! A server for one scenario, with a log of what it was asked.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::site::{Served, Site};

/// Serves a directory until the test process ends.
pub struct Server {
    port: u16,
    log: Arc<Mutex<Vec<Served>>>,
}

impl Server {
    /// Serves a directory on a free port.
    ///
    /// # Errors
    /// Where the directory has no page.
    pub fn start(directory: PathBuf) -> Result<Self, String> {
        let site = Site::open(directory, 0)?;
        let port = site.port();
        let log = Arc::<Mutex<Vec<Served>>>::default();
        let writer = Arc::clone(&log);
        std::thread::spawn(move || {
            // Without a server the scenario says itself that the page does not open.
            let _ = site.serve(move |served| writer.lock().unwrap_or_else(PoisonError::into_inner).push(served));
        });
        Ok(Self { port, log })
    }

    /// Address of the page.
    pub fn url(&self) -> String {
        format!("http://localhost:{}/", self.port)
    }

    /// Everything asked so far.
    pub fn log(&self) -> Vec<Served> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

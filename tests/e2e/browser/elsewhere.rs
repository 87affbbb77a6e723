//! Stands in for the rest of the internet: a proxy that records who was asked for and answers nothing.
//!
//! The browser goes past the proxy for the loopback address alone, so whatever arrives here was meant for another
//! host, whoever sent it: the page, its worker (whose requests WebDriver's log lacks), or a prefetch.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};

/// The recording proxy.
pub struct Elsewhere {
    port: u16,
    asked: Mutex<Receiver<String>>,
}

impl Elsewhere {
    /// Listens on a free port until the test process ends.
    ///
    /// # Errors
    /// Where the machine has no free port.
    pub fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut line = String::new();
                // A connection that asks for nothing is the browser warming up.
                if BufReader::new(&stream).read_line(&mut line).unwrap_or(0) > 0 && sender.send(line).is_err() {
                    return;
                }
                let _ = (&stream).write_all(b"HTTP/1.1 502 Nothing leaves the browser\r\nConnection: close\r\n\r\n");
            }
        });
        Ok(Self { port, asked: Mutex::new(asked) })
    }

    /// The proxy's port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Request lines that arrived since the last call, without Chromium's own housekeeping.
    pub fn drain(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.try_iter().map(|line| line.trim().to_owned()).filter(|line| !is_housekeeping(line)).collect()
    }
}

/// Update checks and the like go to Google now and then whatever the flags say. A request of the page to these
/// hosts would still show up: in WebDriver's log, and as a violation of the content security policy.
fn is_housekeeping(request_line: &str) -> bool {
    let Some(target) = request_line.split(' ').nth(1) else {
        return false;
    };
    let authority = target.strip_prefix("http://").unwrap_or(target).split('/').next().unwrap_or_default();
    let host = authority.split(':').next().unwrap_or_default();
    ["google.com", "googleapis.com", "gstatic.com", "gvt1.com"]
        .iter()
        .any(|domain| host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

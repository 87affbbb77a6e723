//! The program that drives a browser: chromedriver or geckodriver, one for each browser.
//!
//! A browser that is kept for other scenarios is still there when the tests are done, and a process that ends drops nothing.
//! The driver is therefore watched by a shell, which ends both when its own input ends.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::browser::{Outcome, PATIENCE};

/// Starts a program, waits for the end of the shell's own input, and then ends its process group: the program and all that it
/// started. The shell's output is closed, so that the pipe ends with the program.
const WATCHED: &str = r#""$0" "$@" & exec > /dev/null; cat; kill 0"#;

/// Starts until one is given up.
const TRIES: u32 = 10;

/// A driver of our own, stopped when dropped.
pub struct DriverProcess {
    process: Child,
    port: u16,
}

impl DriverProcess {
    /// Starts it on a port that the system chooses: one chosen here could be taken by another test's server meanwhile.
    /// `announcement` is what stands before the port in the line that names it.
    ///
    /// # Errors
    /// Where the program is missing or names no port.
    pub fn start(program: &OsStr, arguments: &[&str], announcement: &str) -> Outcome<Self> {
        // chromedriver chooses a port of IPv6 and ends where the one of IPv4 with that number is taken.
        let mut tries = (0..TRIES).map(|_| Self::try_to_start(program, arguments, announcement));
        let outcome = tries.find_map(|started| started.transpose()).transpose()?;
        outcome.ok_or_else(|| {
            format!("{} ended {TRIES} times before it named its port; `make test` installs it", program.display())
                .into()
        })
    }

    /// `None` where the program ended before it named its port.
    fn try_to_start(program: &OsStr, arguments: &[&str], announcement: &str) -> Outcome<Option<Self>> {
        let name = program.display();
        let mut process = Command::new("sh")
            .args(["-c", WATCHED])
            .arg(program)
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start a shell for {name}: {error}"))?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("the driver has no standard output")?);
        let Some(port) = announced_port(&mut lines, announcement)? else { return Ok(None) };
        // What nobody reads would fill the pipe and stop the driver.
        std::thread::spawn(move || lines.lines().map_while(Result::ok).for_each(drop));
        Ok(Some(Self { process, port }))
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Ends a session: the browser goes.
    ///
    /// # Errors
    /// Where the driver does not answer.
    pub fn close_session(&self, session: &str) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let host = format!("127.0.0.1:{}", self.port);
        write!(stream, "DELETE /session/{session} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n")?;
        // Answered once the browser has gone.
        stream.read_exact(&mut [0])
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// The port in a line such as `ChromeDriver was started successfully on port 41123.`; `None` where there is no such line.
fn announced_port(output: &mut impl BufRead, announcement: &str) -> Outcome<Option<u16>> {
    for line in output.lines() {
        let line = line?;
        let Some((_, port)) = line.split_once(announcement) else { continue };
        return Ok(Some(port.trim_end_matches('.').parse()?));
    }
    Ok(None)
}

//! `output.log`: the console output that W&B keeps beside a run.

use super::console::Console;
use super::{FileReader, Fragment, Problem, Role, path};
use crate::run::{Log, Run, Stream};

/// Reads console output into an attachment.
pub(crate) struct ConsoleFileReader {
    path: String,
    console: Console,
    log: Log,
}

impl ConsoleFileReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), console: Console::new(Stream::File), log: Log::default() }
    }
}

impl FileReader for ConsoleFileReader {
    fn push(&mut self, bytes: &[u8]) {
        self.console.push(bytes, &mut self.log);
    }

    fn finish(mut self: Box<Self>) -> (Vec<Fragment>, Vec<Problem>) {
        self.console.finish(&mut self.log);
        let folder = path::folder(&self.path).to_owned();
        let run = Run { log: self.log, ..Run::default() };
        (vec![Fragment { run, role: Role::Attachment, folder }], Vec::new())
    }
}

//! Writes `.wandb` files of any size, for benchmarks and for tests that need a file nobody has.
//!
//! Only what a reader needs: the block framing, a run record, history rows, an exit record.

/// What a run record says of its run; what is empty is left out.
#[derive(Default)]
pub struct RunRecord<'r> {
    pub id: &'r str,
    pub name: &'r str,
    pub project: &'r str,
    /// Settings, their values as JSON.
    pub config: &'r [(&'r str, &'r str)],
}

/// A `.wandb` file that is being written.
pub struct WandbFile {
    bytes: Vec<u8>,
}

const BLOCK: usize = 32_768;
const HEADER: usize = 7;

impl WandbFile {
    /// A file with its header and a run record, in a project of its own.
    pub fn new(id: &str, name: &str) -> Self {
        Self::of(&RunRecord { id, name, project: "synthetic", config: &[] })
    }

    /// A file with its header and this run record.
    pub fn of(record: &RunRecord<'_>) -> Self {
        let mut file = Self { bytes: b":W&B\xe1\xbe\x00".to_vec() };
        let mut config = Vec::new();
        for (name, json) in record.config {
            let mut setting = Vec::new();
            text(&mut setting, 1, name);
            text(&mut setting, 16, json);
            bytes(&mut config, 1, &setting);
        }
        let mut run = Vec::new();
        for (field, value) in
            [(1, record.id.as_bytes()), (3, record.project.as_bytes()), (4, &config), (8, record.name.as_bytes())]
        {
            if !value.is_empty() {
                bytes(&mut run, field, value);
            }
        }
        file.record(17, &run);
        file
    }

    /// Adds a history row: `_step` and these metrics.
    pub fn row(&mut self, step: u64, values: &[(&str, f64)]) {
        let mut row = Vec::new();
        item(&mut row, "_step", &step.to_string());
        item(&mut row, "_timestamp", &format!("{}", 1.79e9 + step as f64));
        for (key, value) in values {
            let json = if value.is_nan() {
                "NaN".to_owned()
            } else if value.is_infinite() {
                if *value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
            } else {
                value.to_string()
            };
            item(&mut row, key, &json);
        }
        self.record(2, &row);
    }

    /// Ends the run with an exit code and gives the file.
    pub fn finish(mut self, exit_code: u64) -> Vec<u8> {
        let mut exit = Vec::new();
        key(&mut exit, 1, 0);
        varint(&mut exit, exit_code);
        self.record(18, &exit);
        self.bytes
    }

    /// Gives the file without an exit record, as it is while its run goes on and after it was killed.
    #[allow(dead_code, reason = "only tests of reading need it")]
    pub fn unfinished(self) -> Vec<u8> {
        self.bytes
    }

    /// Takes the whole blocks out that were written since the last call, for files that should not stand in memory.
    #[allow(dead_code, reason = "only the largest file needs it")]
    pub fn take_blocks(&mut self) -> Vec<u8> {
        let whole = self.bytes.len() / BLOCK * BLOCK;
        let rest = self.bytes.split_off(whole);
        std::mem::replace(&mut self.bytes, rest)
    }

    fn record(&mut self, field: u64, body: &[u8]) {
        let mut record = Vec::with_capacity(body.len() + 8);
        bytes(&mut record, field, body);
        self.chunks(&record);
    }

    fn chunks(&mut self, mut record: &[u8]) {
        let mut first = true;
        loop {
            let left = BLOCK - self.bytes.len() % BLOCK;
            if left < HEADER {
                self.bytes.resize(self.bytes.len() + left, 0);
                continue;
            }
            let (now, rest) = record.split_at(record.len().min(left - HEADER));
            let kind = match (first, rest.is_empty()) {
                (true, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
                (false, true) => 4,
            };
            let mut crc = crc32fast::Hasher::new();
            crc.update(&[kind]);
            crc.update(now);
            self.bytes.extend_from_slice(&crc.finalize().to_le_bytes());
            self.bytes.extend_from_slice(&(now.len() as u16).to_le_bytes());
            self.bytes.push(kind);
            self.bytes.extend_from_slice(now);
            if rest.is_empty() {
                return;
            }
            record = rest;
            first = false;
        }
    }
}

fn item(out: &mut Vec<u8>, name: &str, json: &str) {
    let mut item = Vec::with_capacity(name.len() + json.len() + 8);
    text(&mut item, 2, name);
    text(&mut item, 16, json);
    bytes(out, 1, &item);
}

fn text(out: &mut Vec<u8>, field: u64, value: &str) {
    bytes(out, field, value.as_bytes());
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    key(out, field, 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn key(out: &mut Vec<u8>, field: u64, wire: u64) {
    varint(out, field << 3 | wire);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push((value & 127 | 128) as u8);
        value >>= 7;
    }
    out.push(value as u8);
}

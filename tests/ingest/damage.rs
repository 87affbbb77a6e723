//! Cut, flipped and invented bytes: nothing panics, what came before the damage is kept, and slices do not matter.

use std::io::Write as _;

use proptest::prelude::*;
use rundown_ingest::wandb::{self, HistoryRecord, Visitor};

use crate::support::{corpus, read};

const BLOCK: usize = 32 * 1024;

/// Each row as text.
#[derive(Default)]
struct Rows(Vec<String>);

impl Visitor for Rows {
    fn history(&mut self, record: &HistoryRecord<'_>) {
        let items: Vec<_> = record.items.iter().map(|item| (item.path(), item.json())).collect();
        self.0.push(format!("{:?} {items:?}", record.step));
    }
}

fn rows(bytes: &[u8]) -> Vec<String> {
    let mut rows = Rows::default();
    wandb::visit(bytes, &mut rows);
    rows.0
}

fn wandb_files() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = corpus("wandb-files") else { return Vec::new() };
    ["kinds.wandb", "longrow.wandb", "killed.wandb", "old-0.10.20-g9dvvkua.wandb"]
        .map(|name| (name.to_owned(), std::fs::read(folder.join(name)).unwrap()))
        .to_vec()
}

#[test]
fn a_cut_wandb_file_keeps_every_whole_row() {
    for (name, bytes) in wandb_files() {
        let all = rows(&bytes);
        let step = (bytes.len() / 25).max(1);
        for cut in (0..bytes.len()).step_by(step).chain([1, 6, 7, 8, 13, 14, BLOCK, BLOCK + 1, bytes.len() - 1]) {
            let cut = cut.min(bytes.len());
            let kept = rows(&bytes[..cut]);
            assert_eq!(kept, all[..kept.len()], "{name} cut at {cut}");
            let outcome = read(&name, &bytes[..cut], 10_007);
            let expected = usize::from(cut >= 7);
            assert_eq!(outcome.parts.len(), expected, "{name} cut at {cut}: {:?}", outcome.problems);
            for part in outcome.parts {
                assert_eq!(part.run.row_steps.len(), kept.len());
            }
        }
    }
}

#[test]
fn a_flipped_byte_costs_no_row_outside_its_block_and_the_record_across_it() {
    for (name, bytes) in wandb_files() {
        let all = rows(&bytes);
        let step = (bytes.len() / 25).max(1);
        for place in (7..bytes.len()).step_by(step) {
            let mut broken = bytes.clone();
            broken[place] ^= 0x55;
            let kept = rows(&broken);
            let before = rows(&bytes[..place / BLOCK * BLOCK]);
            assert!(kept.starts_with(&before), "{name} flipped at {place}");
            let mut rest = all.iter();
            assert!(
                kept.iter().all(|row| rest.any(|known| known == row)),
                "{name} flipped at {place}: an invented row"
            );
            let outcome = read(&name, &broken, 10_007);
            assert_eq!(outcome.parts[0].run.row_steps.len(), kept.len());
            assert!(kept.len() == all.len() || !outcome.problems.is_empty(), "{name} flipped at {place}: silent loss");
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Pieces that steer random input into the readers rather than past them.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words: Vec<&'static [u8]> = vec![
        b":W&B\xe1\xbe\x00",
        b"{\"step\": 1, \"loss\": 0.5}\n",
        b"{\"log_history\": [",
        b"{\"step\": 2, \"a\": {\"b\": [",
        b"]}",
        b"}",
        b"NaN",
        b"\"_type\"",
        b"step,loss\n1,2\n",
        b"\"",
        b"\\u12",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\x00",
        b"1e999,",
        b"{\"type\": \"config\", \"args\": {}}\n",
        b";",
        b"\x12\x05_step\x82\x01\x011",
        b"-",
        b",,,",
        b"\x1b[31m",
        b"PAR1",
        b":SWL\xd6\xe1\x02",
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00",
        b"PK\x03\x04\x14\x00\x08\x00\x00\x00\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\x00\x00\x00a.csv",
        b"PK\x07\x08",
        b"\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22",
        b"{'loss': 0.5, 'epoch': 0.1}",
        b"{'train_runtime': 1.0, 'reward': 2}",
        b" 10%|# | 1/10 [00:01",
        b"\r",
        b"step:3 - a/b:0.125 - c@1:np.float64(nan)\n",
        b"(T pid=1) {'trainer': {'a': [1,\n",
        b"GRPOConfig(\nbeta=1,\n",
        b" 'x': 1}}\n",
        b"step: 4 loss=0.25\n",
        b"{\"columns\": [\"a\"], \"data\": [[1], [",
        b"key: &a\n  - |\n  - *a\n",
        b"a: 'it''s\n",
        b"\xff\xfe",
    ];
    prop_oneof![
        3 => prop::sample::select(words).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::collection::vec(prop::sample::select(b"0123456789.eE+-{}[]:,\" \n".to_vec()), 0..30),
    ]
}

fn file_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a.jsonl", "a.json", "trainer_state.json", "a.csv", "a.txt", "a.wandb", "files/output.log", "a.gz", "a",
        "a.tar", "a.zip", "a.parquet", "events.out.tfevents.1", "run-x.swanlab", "config.yaml", "wandb-summary.json",
        "wandb-metadata.json", "wandb-events.jsonl", "a.table.json",
    ])
}

/// Text of a format, longer than what is looked at to tell formats apart: what follows is read slice by slice.
fn prelude() -> impl Strategy<Value = Vec<u8>> {
    let long = |start: &str, row: &str| format!("{start}{}", row.repeat(70_000 / row.len())).into_bytes();
    prop_oneof![
        Just(Vec::new()),
        Just(long("", "{\"step\": 1, \"loss\": 0.5, \"a\": {\"b\": NaN}}\n")),
        Just(long("step,loss\n", "1,0.25\n2,\"3\"\n")),
        Just(long("{\"log_history\": [", "{\"step\": 1, \"reward\": 1e-3},\n")),
        Just(long("", "line \u{1b}[1mé\u{1b}[0m\r\n")),
        Just(long("", "{'loss': 0.5, 'epoch': 0.1}\r 1%| | 1/9 [0]\n")),
        Just(long("", "step:1 - a:0.125 - b:nan\n")),
        Just(long("", "a:\n  - b\n")),
        Just(vec![0xff, 0xfe]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn slices_do_not_matter(
        name in file_name(),
        prelude in prelude(),
        pieces in prop::collection::vec(piece(), 0..60),
        slice in 1_usize..300,
        packed in any::<bool>(),
    ) {
        let plain = [prelude, pieces.concat()].concat();
        let bytes = if packed { gzip(&plain) } else { plain };
        let whole = read(name, &bytes, bytes.len().max(1));
        let sliced = read(name, &bytes, slice);
        prop_assert_eq!(whole.format, sliced.format);
        prop_assert_eq!(&whole.problems, &sliced.problems);
        prop_assert_eq!(format!("{:?}", whole.parts), format!("{:?}", sliced.parts));
        for part in whole.parts {
            let run = part.run;
            prop_assert_eq!(run.row_steps.len(), run.row_times.len());
            for column in run.columns.values() {
                prop_assert!(!column.is_empty());
                prop_assert!(column.rows().iter().is_sorted_by(|a, b| a < b));
                prop_assert!(column.rows().last().is_some_and(|row| (row as usize) < run.row_steps.len()));
            }
        }
    }

    #[test]
    fn a_wandb_file_of_invented_records_is_read(records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..20)) {
        let mut bytes = b":W&B\xe1\xbe\x00".to_vec();
        for record in &records {
            let checked = [&[1], record.as_slice()].concat();
            bytes.extend_from_slice(&crc32fast::hash(&checked).to_le_bytes());
            bytes.extend_from_slice(&(record.len() as u16).to_le_bytes());
            bytes.extend_from_slice(&checked);
        }
        let outcome = read("run-x.wandb", &bytes, 17);
        prop_assert_eq!(outcome.parts.len(), 1);
    }
}

#[test]
fn deep_and_wide_input_is_read_in_linear_time() {
    let deep = format!("{{\"a\": {}", "[".repeat(2_000_000));
    assert!(read("a.json", deep.as_bytes(), 1 << 20).parts.is_empty());
    let nested = "{\"a\":".repeat(500_000);
    assert!(read("a.jsonl", nested.as_bytes(), 1 << 20).parts.is_empty());
    let wide: String = (0..5_000).map(|key| format!("k{key},")).collect();
    let row: String = (0..5_000).map(|key| format!("{key},")).collect();
    let table = format!("step,{wide}\n{}", format!("1,{row}\n").repeat(20));
    assert_eq!(read("a.csv", table.as_bytes(), 1 << 20).parts[0].run.columns.len(), 5_001);
    let quotes = "\"".to_owned() + &",\n".repeat(1_000_000);
    read("a.csv", quotes.as_bytes(), 1 << 20);
}

#[test]
fn a_small_archive_that_unpacks_to_much_is_not_unpacked_for_nothing() {
    let bomb = gzip(&gzip(&vec![0; 200 << 20]));
    let outcome = read("a.gz", &bomb, 1 << 20);
    assert!(outcome.parts.is_empty());
    assert_eq!(outcome.problems.len(), 1);
}

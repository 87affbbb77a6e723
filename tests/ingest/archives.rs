//! Archives and compressed files, whole and damaged: what is in them is read as if it lay there unpacked.

use rundown_ingest::Weight;

use crate::made::{one, trainer_pair, values};
use crate::support::archives::{gzip, tar};
use crate::support::{ingest, named};

#[test]
fn archives_are_read_as_if_unpacked() {
    let (wandb, state) = trainer_pair();
    let long = format!("top/{}/metrics.jsonl", "deep/".repeat(30));
    let members: [(&str, &[u8]); 4] = [
        ("top/a/run-20261120_000000-abc/run-abc.wandb", &wandb),
        ("top/a/trainer_state.json", state.as_bytes()),
        (&long, b"{\"step\": 1, \"loss\": 1}\n"),
        ("top/a/media/x.png", &[0; 5000]),
    ];
    for is_pax in [false, true] {
        let plain = tar(&members, is_pax);
        let unpacked = ingest(members);
        for (path, bytes) in
            [("s.tar", plain.clone()), ("s.tar.gz", gzip(&plain)), ("s.tgz", gzip(&plain)), ("s.bin2", gzip(&plain))]
        {
            for slice in [1, 511, 100_000] {
                let ingested = one(path, &bytes, slice);
                assert_eq!(format!("{:?}", ingested.runs), format!("{:?}", unpacked.runs), "{path} {slice}");
                assert_eq!(ingested.problems, []);
            }
        }
    }
    assert_eq!(one("s.tar", tar(&members, false), 999).runs.len(), 2);
}

#[test]
fn members_without_a_common_folder_get_the_archives_name() {
    let archive = tar(&[("x/m.csv", b"step,a\n1,2\n"), ("y.csv", b"step,a\n1,2\n"), ("z.txt", b"?")], false);
    let ingested = one("drop/old.tar.gz", gzip(&archive), 4096);
    let paths: Vec<&str> = ingested.runs.iter().map(|run| run.files[0].path.as_str()).collect();
    assert_eq!(paths, ["old/x/m.csv", "old/y.csv"]);
    assert!(ingested.problems.iter().all(|problem| problem.file == "old/z.txt"));
}

#[test]
fn a_damaged_archive_keeps_the_members_before_the_damage() {
    // Text that does not compress, so that the cut falls into the second member.
    let rows = |seed: u64| -> String {
        let mut state = seed;
        let lines = (0..3_000).map(|step| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{step},0.{}\n", state >> 20)
        });
        format!("step,a\n{}", lines.collect::<String>())
    };
    let (first, second) = (rows(1), rows(2));
    let archive = tar(&[("top/a.csv", first.as_bytes()), ("top/b.csv", second.as_bytes())], false);
    let packed = gzip(&archive);
    for (path, bytes) in [("s.tar", &archive[..archive.len() * 3 / 4]), ("s.tar.gz", &packed[..packed.len() * 3 / 4])] {
        let ingested = one(path, bytes, 1000);
        assert_eq!(values(named(&ingested.runs, "a"), "step").len(), 3_000, "{path}");
        assert!(values(named(&ingested.runs, "b"), "step").len() > 500, "{path}");
        assert!(ingested.problems.iter().any(|problem| problem.weight == Weight::Partial), "{path}");
    }
    let mut flipped = archive.clone();
    let second_header = 512 + 512 + first.len().div_ceil(512) * 512;
    flipped[second_header + 3] ^= 1;
    let ingested = one("s.tar", &flipped, 1000);
    assert_eq!(ingested.runs.len(), 1);
    assert_eq!(ingested.problems.len(), 1);
}

#[test]
fn one_compressed_file_is_that_file() {
    let ingested = one("logs/metrics.jsonl.gz", gzip(b"{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 2}"), 7);
    assert_eq!(
        (ingested.runs[0].name.as_str(), ingested.runs[0].files[0].path.as_str()),
        ("logs", "logs/metrics.jsonl")
    );
    assert_eq!(ingested.runs[0].row_steps.len(), 2);
}

#[test]
fn zeros_behind_a_gzip_member_are_no_damage() {
    let text = b"{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": 2}\n";
    let padded = [gzip(text), vec![0; 700]].concat();
    let two = [padded.clone(), gzip(b"{\"step\": 3, \"loss\": 3}\n"), vec![0; 5]].concat();
    let garbage = [padded.clone(), b"garbage".to_vec()].concat();
    for (bytes, rows) in [(padded, 2), (two, 3)] {
        let ingested = one("metrics.jsonl.gz", bytes, 4096);
        assert_eq!((ingested.problems.len(), ingested.runs[0].row_steps.len()), (0, rows));
    }
    assert!(one("metrics.jsonl.gz", garbage, 4096).problems[0].what.contains("damaged"));
}

//! Small files that would take a reader's stack, memory or hours: each must cost its own size at most. Quadratic costs show in
//! the suite's time.

use std::fmt::Write as _;

use rundown_ingest::Ingested;

use crate::made::{one, values};

fn read(path: &str, text: &str) -> Ingested {
    one(path, text.as_bytes(), 1 << 16)
}

#[test]
fn values_that_are_nested_in_one_cell_take_no_stack() {
    let cell = format!("0.4{}", "%".repeat(2 << 20));
    let ingested = read("metrics.csv", &format!("step,reward\n1,0.1\n2,{cell}\n3,0.3\n4,0.5\n"));
    assert_eq!(ingested.runs.len(), 1);
    let option = format!("+ python train.py --lr 1e-5 --{}=1\n", vec!["a"; 100_000].join("."));
    read("train.log", &option);
}

#[test]
fn variables_of_a_script_that_stand_in_each_other_stay_short() {
    let mut script = "A=xxxxxxxx\n".to_owned();
    (0..40).for_each(|_| script.push_str("A=$A$A\n"));
    script.push_str("python train.py --learning_rate 1e-5 --run $A\n");
    read("train.sh", &script);
}

#[test]
fn numbers_beyond_the_largest_are_no_panic() {
    let bar = |done: &str| format!("x: {done}it [00:01, 1.0it/s, loss=0.1, reward=0.2]\n");
    read("train.log", &["18446744073709551615", "2", "18446744073709551615", "3"].map(bar).concat());
    let footer = [0x06, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00, 0x16, 0x00, 0x00];
    let parquet = [b"PAR1", &footer[..], &[15, 0, 0, 0], b"PAR1"].concat();
    assert_eq!(one("history.parquet", &parquet, 1 << 16).runs.len(), 0);
}

#[test]
fn a_long_name_is_not_kept_for_each_value_in_it() {
    let mut row = format!("{{\"step\": 1, \"{}\": {{", "k".repeat(1 << 20));
    (0..5_000).for_each(|member| write!(row, "\"m{member}\": 1, ").unwrap());
    row.push_str("\"last\": 1}}\n");
    let rows: String = (2..20).map(|step| format!("{{\"step\": {step}, \"reward\": 0.{step}}}\n")).collect();
    let ingested = read("metrics.jsonl", &(row + &rows));
    let [run] = &ingested.runs[..] else { panic!("{}", ingested.runs.len()) };
    assert_eq!((run.columns.len(), values(run, "reward").len()), (2, 18));
    assert!(ingested.problems[0].what.contains("5001 values"), "{:?}", ingested.problems);
}

#[test]
fn a_line_of_signs_is_read_once() {
    let line = format!("{}\n", "=".repeat(16_000));
    read("train.log", &line.repeat(40));
}

#[test]
fn names_that_are_the_same_without_their_secrets_are_numbered_once() {
    let mut rows = String::new();
    for row in 0..4_000 {
        let secret = format!("hf_{row:034}");
        writeln!(rows, "{{\"step\": {row}, \"reward\": 0.5, \"eval/vs_{secret}/win\": 0.5}}").unwrap();
    }
    let ingested = read("metrics.jsonl", &rows);
    assert_eq!(ingested.runs[0].columns.len(), 4_002);
    assert!(ingested.runs[0].columns.contains_key("eval/vs_(redacted)/win (4000)"));
}

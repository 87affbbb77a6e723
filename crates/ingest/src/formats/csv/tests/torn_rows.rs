//! Rows cut anywhere by the slices in which they come, uneven ones, and several in one line.

use super::*;

#[test]
fn rows_past_the_parser_are_those_of_the_parser() {
    for feed in ["\n", "\r\n"] {
        let rows = [
            "step,loss,note", "1,0.5,a", "", "2, -0.25 ,\"b,c\"", "3,1e-3,d", "4,5", "5,,\"e", "f\"",
            "6,0.123456789012345678,g", "7,8,9,10", "8,NaN,'=1", "\"9", "\",0.125,h",
        ];
        let text = rows.join(feed);
        let (parts, problems) = read_in(&text, text.len());
        let run = &parts[0].run;
        assert_eq!(run.columns["step"].values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(run.columns["loss"].rows(), [0, 1, 2, 3, 5, 6, 7, 8]);
        assert_eq!(run.columns["loss"].values()[..5], [0.5, -0.25, 0.001, 5.0, 0.123_456_789_012_345_68]);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].what.starts_with("2 rows") && problems[0].place == Place::Line(6), "{feed:?} {problems:?}");
        let is_same = |(sliced, of_slices): (Vec<PartialRun>, Vec<Problem>), how: &str| {
            assert_eq!((format!("{:?}", sliced[0].run), &of_slices), (format!("{run:?}"), &problems), "{feed:?} {how}");
        };
        (1..30).for_each(|slice| is_same(read_in(&text, slice), &format!("slices of {slice}")));
        for at in 0..text.len() {
            let (start, end) = text.as_bytes().split_at(at);
            is_same(read_slices(&text, [start, end].into_iter()), &format!("cut at {at}"));
        }
    }
}

#[test]
fn cells_past_the_parser_are_those_of_the_parser() {
    let long = "9".repeat(MAX_PLAIN_CELL);
    let text = format!(
        "step,a,b,c,d\r\n1,2,\"3\",4,5\n,,,,\n2,,\"x,\n7\",,6\r\n3, 8 ,1\"2,0{long}.5,\n4,1,2,3,4,5\n5,1,2\n6,1,2,3,"
    );
    let (whole, problems) = read_in(&text, text.len());
    let columns = &whole[0].run.columns;
    assert_eq!(columns["a"].values(), [2.0, 8.0, 1.0, 1.0, 1.0]);
    assert_eq!(columns["b"].values(), [3.0, 2.0, 2.0, 2.0]);
    assert_eq!(columns["d"].values(), [5.0, 6.0, 4.0]);
    assert_eq!(columns["step"].values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for slice in 1..40 {
        let (parts, wording) = read_in(&text, slice);
        assert_eq!((&parts[0].run.columns, &wording), (columns, &problems), "{slice}");
    }
}

#[test]
fn uneven_rows_are_counted() {
    let (parts, problems) = read_in("step,loss\n1,2\n2\n3,4,5\n", 3);
    assert_eq!(parts[0].run.columns["step"].values(), [1.0, 2.0, 3.0]);
    assert_eq!((problems[0].place, problems[0].weight), (Place::Line(3), Weight::Remark));
}

#[test]
fn rows_that_run_together_in_one_line_are_left_out() {
    for (rows, steps, left_out) in [
        ("0,1,2,3\n1,1,2,32,2,3,4\n3,1,2,3\n4,1,2,3,,,,\n", &[0.0, 3.0, 4.0][..], " hold several rows: 1."),
        ("0,1,2,3\n1,1,2,32,2,3,4\n3,1,2,34,2,3,4\n5,1,2,3\n", &[0.0, 5.0][..], " hold several rows: 2."),
        ("0,1,2,32,2,3,4\n1,1,2,32,2,3,4\n", &[0.0, 1.0][..], "2 rows with more or fewer cells than the header."),
        ("0,1,2,yes\n1,1,2,so, it, is, 4\n", &[0.0, 1.0][..], "1 row with more or fewer cells than the header."),
    ] {
        for slice in [3, rows.len()] {
            let (parts, problems) = read_in(&format!("step,reward,loss,kl\n{rows}"), slice);
            assert_eq!(parts[0].run.columns["step"].values(), steps, "{rows}");
            assert!(problems[0].what.ends_with(left_out), "{}", problems[0].what);
            let weight = if left_out.starts_with(' ') { Weight::Partial } else { Weight::Remark };
            assert_eq!(problems[0].weight, weight, "{rows}");
        }
    }
}

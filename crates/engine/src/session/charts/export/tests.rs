//! Files of charts of a few runs, read back.

use super::*;
use crate::session::charts::LineCache;
use crate::session::ids::UniqueIds;
use rundown_content::Scale;
use rundown_protocol::{Center, LineGrouping, LinesRequest, SeriesRef, Smoothing, SmoothingKind, XAxis};
use rundown_report::svg_file;
use rundown_run::ConfigValue;

/// Two runs of a thousand steps, a minute each; one value is NaN.
fn runs() -> [Run; 2] {
    ["first, \"one\"", "second"].map(|name| {
        let mut run = Run { name: name.to_owned(), ..Run::default() };
        for step in 0..1_000 {
            let row = run.push_row(f64::from(step), 1.8e9 + 60.0 * f64::from(step));
            run.push_value("m", row, if step == 3 { f64::NAN } else { f64::from(step) / 3.0 });
        }
        run.config.insert("lr", ConfigValue::Number(1e-4));
        run.choose_axis();
        run
    })
}

fn request() -> LinesRequest {
    let series = [1, 2, 9].map(|run| SeriesRef { run, key: "m".to_owned() }).into();
    LinesRequest { series, width_px: 10, ..LinesRequest::default() }
}

/// What `of` makes of the two runs.
fn exported<T>(of: impl Fn(&mut ExportSource<'_, '_>) -> T) -> T {
    let runs = runs();
    let mut caches = [LineCache::default(), LineCache::default()];
    let charts = runs.iter().zip(&mut caches).zip(1..);
    let mut charts: Vec<ChartRun<'_>> =
        charts.map(|((run, cache), number)| ChartRun { number, run, bindings: None, cache }).collect();
    let ids = UniqueIds::from([(1, "a"), (2, "a (2)")]);
    of(&mut ExportSource { runs: &mut charts, ids: &ids })
}

fn table(wanted: &LinesRequest) -> Vec<String> {
    exported(|source| csv(source, wanted, None)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_table_has_every_point_of_the_window() {
    let lines = table(&request());
    assert_eq!((lines[0].as_str(), lines.len()), ("run,run_id,metric,step,value", 2_001));
    assert_eq!(lines[2], "\"first, \"\"one\"\"\",a,m,1,0.3333333333333333");
    assert_eq!(lines[4], "\"first, \"\"one\"\"\",a,m,3,NaN");
    assert_eq!(lines[2_000], "second,a (2),m,999,333");
    let smoothing = Smoothing { kind: SmoothingKind::RunningMean, weight: 0.7 };
    let window = Some((600.0, 1_200.0));
    let wanted = LinesRequest { x: XAxis::RelativeTime, smoothing, window, ..request() };
    let lines = table(&wanted);
    assert_eq!((lines[0].as_str(), lines.len()), ("run,run_id,metric,seconds,value,smoothed", 23));
    let (_, smoothed) = lines[2].rsplit_once(',').unwrap();
    assert!((smoothed.parse::<f64>().unwrap() - 11.0 / 3.0).abs() < 1e-9, "{}", lines[2]);
}

#[test]
fn a_table_of_groups_has_their_bands() {
    let group = Some(LineGrouping { setting: "lr".to_owned(), center: Center::Mean });
    let lines = table(&LinesRequest { group, window: Some((0.0, 4.0)), ..request() });
    assert_eq!(lines[0], "run,run_id,metric,step,value,low,high");
    assert_eq!(lines[2], "lr=1e-4 (2 runs),,m,1,0.3333333333333333,0.3333333333333333,0.3333333333333333");
    assert_eq!(lines[4], "lr=1e-4 (2 runs),,m,3,NaN,NaN,NaN");
}

#[test]
fn a_drawing_has_a_title_names_and_axes() {
    let svg = |wanted: &LinesRequest, scale| {
        let figure = exported(|source| figure(source, wanted, "Learning & more", (800.0, 400.0), scale));
        assert_eq!(figure.height, 400.0);
        svg_file(&figure, false)
    };
    let plain = svg(&request(), Scale::Linear);
    for part in
        ["Learning &amp; more</text>", ">first, &quot;one&quot;</text>", ">second</text>", ">step</text>", ">m</text>"]
    {
        assert!(plain.contains(part), "{part}: {plain}");
    }
    let symlog = svg(&request(), Scale::Symlog);
    assert!(symlog.contains(">100</text>") && symlog.contains(">1</text>"), "powers of ten up from zero: {symlog}");
    let smoothing = Smoothing { kind: SmoothingKind::Gaussian, weight: 0.9 };
    let wall = svg(&LinesRequest { x: XAxis::WallTime, smoothing, ..request() }, Scale::Log);
    assert!(wall.contains(">hours since 2027-01-15 08:00 UTC</text>"), "{wall}");
    assert!(wall.contains("class=\"a s0\""), "the points behind the smoothed line");
    let group = Some(LineGrouping { setting: "lr".to_owned(), center: Center::Iqm });
    assert!(svg(&LinesRequest { group, ..request() }, Scale::Linear).contains("class=\"a s0\""));
    let nothing = svg(&LinesRequest { x: XAxis::Tokens, ..request() }, Scale::Linear);
    assert!(nothing.contains("No finite values."));
}

//! Charts of loaded runs.

use super::answers::Answer;
use super::charts::export::{self, ExportSource};
use super::charts::{self, ChartRun};
use super::{Session, SessionRun};
use rundown_protocol::{ChartFormat, ExportRequest, Fault, HeatRequest, LinesRequest, Reply};
use rundown_report::svg_file;

impl Session {
    /// The lines of a request. Series of runs that are not loaded are missing.
    pub(super) fn lines(&mut self, wanted: &LinesRequest) -> Answer {
        let (lines, arrays) = charts::lines(&mut self.drawn(wanted), wanted);
        Answer { reply: Ok(Reply::Lines(lines)), arrays }
    }

    /// The heat map of a request.
    pub(super) fn heat(&mut self, wanted: &HeatRequest) -> Answer {
        let Some(loaded) = self.runs.iter_mut().find(|loaded| loaded.number == wanted.run) else {
            return Err(Fault::UnknownRun).into();
        };
        let (heat, arrays) = charts::heat(&mut chart_run(loaded), wanted);
        Answer { reply: Ok(Reply::Heat(heat)), arrays }
    }

    /// A chart as a file.
    pub(super) fn export_chart(&mut self, wanted: &ExportRequest) -> Result<Reply, Fault> {
        let ids = self.unique_ids();
        let ExportRequest { title, lines, format, hides_names } = wanted;
        let people = hides_names.then(|| self.people(&[]));
        let source = &mut ExportSource { runs: &mut self.drawn(lines), ids: &ids };
        Ok(Reply::Report(match *format {
            ChartFormat::Csv => export::csv(source, lines, people.as_ref())?,
            ChartFormat::Svg { width, height, scale, dark } => {
                let size = (f64::from(width), f64::from(height));
                let svg = svg_file(&export::figure(source, lines, title, size, scale), dark);
                match people {
                    Some(people) => people.hide(&svg).into_owned(),
                    None => svg,
                }
            }
        }))
    }

    /// The loaded runs that a request draws.
    fn drawn(&mut self, wanted: &LinesRequest) -> Vec<ChartRun<'_>> {
        let is_wanted = |loaded: &&mut SessionRun| wanted.series.iter().any(|series| series.run == loaded.number);
        self.runs.iter_mut().filter(is_wanted).map(chart_run).collect()
    }
}

fn chart_run(loaded: &mut SessionRun) -> ChartRun<'_> {
    ChartRun {
        number: loaded.number,
        run: loaded.run.run(),
        bindings: loaded.run.diagnosis().map(|diagnosis| &diagnosis.bindings),
        cache: &mut loaded.lines,
    }
}

//! Jupyter notebooks: the trainings whose metrics stand in their output cells, as HTML tables (the Hugging Face Trainer
//! shows one) and as printed lines; with the settings that stand in the source of the cells before.
//!
//! A notebook is one JSON document of at most some hundred MB, mostly pictures, so it is read whole. Format:
//! nbformat 4 (`cells`, each with `outputs`) and 3 (`worksheets`).

mod cell;
mod evaluation;
mod html_table;
mod output;
mod printed_answers;
mod settings;
mod supervised;

use crate::budget::{MemoryUse, WHOLE_PIECE};
use crate::formats::console::{OuterEvaluations, has_training_name};
use crate::syntax::json::Json;
use crate::{FileEnd, FileReader, PartKind, PartialRun, Place, Problem, Weight};
use evaluation::Evaluation;
use rundown_run::{Run, RunState};
use settings::CellSettings;
use supervised::{TrainerKind, Training};

/// Fewest rows of a table that are a training, beside others and in a notebook without any.
const MIN_ROWS: usize = 2;
const MIN_ROWS_ALONE: usize = 1;

/// Reads a notebook.
#[derive(Default)]
pub(crate) struct NotebookReader {
    bytes: Vec<u8>,
    is_too_large: bool,
}

impl FileReader for NotebookReader {
    fn push(&mut self, bytes: &[u8]) {
        self.is_too_large |= self.bytes.len() + bytes.len() > WHOLE_PIECE;
        if self.is_too_large {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.bytes.len())
    }

    fn finish(self: Box<Self>, _: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let problem = |place, weight, what: &str| Problem::here(place, weight, what.to_owned(), "");
        if self.is_too_large {
            let what = "This notebook is larger than 256 MB and was skipped.";
            return (Vec::new(), vec![problem(Place::File, Weight::Lost, what)]);
        }
        let notebook = match Json::parse(&self.bytes) {
            Ok(notebook) => notebook,
            Err(error) => {
                let what = format!("This notebook is damaged: {}.", error.what);
                return (Vec::new(), vec![problem(Place::Byte(error.at as u64), Weight::Lost, &what)]);
            }
        };
        let mut trainings = trainings(&notebook, MIN_ROWS);
        if trainings.is_empty() {
            trainings = self::trainings(&notebook, MIN_ROWS_ALONE);
        }
        if trainings.is_empty()
            && let Some(run) = failed_training(&notebook)
        {
            return (vec![PartialRun::of(Run { name: String::new(), ..run }, PartKind::History)], Vec::new());
        }
        let left_out = supervised::leave_out(&mut trainings);
        let mut runs = cell::longest(trainings.into_iter().map(|training| training.run).collect());
        if runs.is_empty() {
            let what = "No output of this notebook holds metrics.";
            return (Vec::new(), vec![problem(Place::File, Weight::Remark, what)]);
        }
        if let [run] = runs.as_mut_slice() {
            run.name.clear();
        }
        (runs.into_iter().map(|run| PartialRun::of(run, PartKind::History)).collect(), left_out.into_iter().collect())
    }
}

fn cells(notebook: &Json) -> impl Iterator<Item = &Json> {
    let sheets = notebook.items("worksheets").iter().flat_map(|sheet| sheet.items("cells"));
    notebook.items("cells").iter().chain(sheets)
}

/// The trainings of all cells, with the settings that stand before them and the evaluations behind them.
fn trainings(notebook: &Json, fewest: usize) -> Vec<Training> {
    let mut settings = CellSettings::default();
    let count = |cell: &Json| cell.get("execution_count").or_else(|| cell.get("prompt_number")).and_then(Json::metric);
    let is_counted = cells(notebook).any(|cell| count(cell).is_some());
    let mut found: Vec<Training> = Vec::new();
    // Trainers that had been made when the last training was found.
    let mut trainers = 0;
    let mut outer = OuterEvaluations::default();
    for (place, cell) in cells(notebook).enumerate() {
        // A cell that was not run set nothing. One that still ran when the notebook was saved has an output.
        let was_run = !is_counted || count(cell).is_some() || !cell.items("outputs").is_empty();
        let source = output::source(cell);
        if let Some(source) = source.filter(|_| was_run && cell.text_at("cell_type") != Some("markdown")) {
            settings.read(&source);
        }
        read_printed(&mut settings, cell);
        let mut evaluation = Evaluation::of_cell(cell);
        let before = found.len();
        for mut run in cell::runs(place + 1, cell, fewest) {
            if let Some(printed) = Evaluation::of_run(&run).filter(|_| !found.is_empty()) {
                evaluation.get_or_insert(printed);
                continue;
            }
            run.config.add_missing(&settings.config());
            found.push(Training { run, cell: place + 1, kind: settings.trainer() });
            trainers = settings.trainers();
        }
        if found.len() > before {
            outer.row();
        } else {
            let printed = cell.items("outputs").iter().filter_map(|output| output::text(output.get("text")));
            for text in printed {
                for line in text.lines() {
                    outer.add(line);
                }
            }
        }
        // What a trainer that was made since evaluates is a model that has not trained yet.
        let last = found.last_mut().filter(|_| trainers == settings.trainers());
        if let Some((evaluation, training)) = evaluation.zip(last) {
            evaluation.add_to(&mut training.run);
        }
    }
    // Of several trainings those between two are of either.
    if let [training] = found.as_mut_slice() {
        outer.add_to(&mut training.run);
    }
    found
}

/// Reads the output of the cell whose source was read last.
fn read_printed(settings: &mut CellSettings, cell: &Json) {
    let printed = cell.items("outputs").iter().filter_map(|output| output::text(output.get("text")));
    printed.for_each(|text| settings.read_output(&text));
}

/// The last cell of a training by rewards that an error ended, as a run without rows, with the settings before it.
fn failed_training(notebook: &Json) -> Option<Run> {
    let mut settings = CellSettings::default();
    let mut found = None;
    for (place, cell) in cells(notebook).enumerate() {
        let source = output::source(cell).unwrap_or_default();
        let trainers = settings.trainers();
        settings.read(&source);
        read_printed(&mut settings, cell);
        let is_training = settings.trainers() > trainers || source.contains(".train(");
        let is_by_rewards = match settings.trainer() {
            TrainerKind::Unknown => has_training_name(&source),
            kind => kind == TrainerKind::ByRewards,
        };
        if is_by_rewards && is_training {
            // A cell that was run again and did not fail is another try, which came to its end.
            found = cell::failed(place + 1, cell).map(|mut run| {
                run.config.add_missing(&settings.config());
                run
            });
        }
    }
    found.filter(|run| run.ending.state == RunState::Crashed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut reader = Box::new(NotebookReader::default());
        text.as_bytes().chunks(7).for_each(|part| reader.push(part));
        reader.finish(&mut FileEnd::default())
    }

    fn table(rows: u32) -> String {
        let rows: String =
            (1..=rows).map(|row| format!("<tr>\\n <td>{row}</td> <td>0.{row}</td><td>No log</td></tr>")).collect();
        let header = "<th>Step</th><th>completions / mean_length</th><th>Validation &amp; Loss</th>";
        format!("<p>[9/9]</p><table border=\\\"1\\\"><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table><p>")
    }

    fn notebook(outputs: &[String]) -> String {
        let cells: Vec<String> = outputs.iter().map(|output| format!("{{\"outputs\": [{output}]}}")).collect();
        format!("{{\"cells\": [{{\"source\": \"x\"}}, {}], \"nbformat\": 4}}", cells.join(","))
    }

    #[test]
    fn a_table_is_a_run_and_its_earlier_states_are_none() {
        let shown = |rows| format!("{{\"data\": {{\"text/html\": [\"{}\"]}}}}", table(rows));
        let (parts, problems) = read(&notebook(&[shown(2), shown(5), shown(3)]));
        assert_eq!((parts.len(), problems), (1, vec![]));
        let run = &parts[0].run;
        assert_eq!(run.columns["completions / mean_length"].values(), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!((run.columns["step"].len(), run.columns.len(), run.name.as_str()), (5, 2, ""));
    }

    #[test]
    fn the_bar_above_a_table_and_the_error_below_say_how_it_ended() {
        use rundown_run::RunState::{Crashed, Finished, Killed, Unknown};
        let shown = |done: u32| {
            let bar = format!("<progress value='{done}' max='9' style='width:300px;'></progress>");
            format!("{{\"data\": {{\"text/html\": [\"{bar}{}\"]}}}}", table(3))
        };
        let error = |name: &str| format!("{{\"output_type\": \"error\", \"ename\": \"{name}\", \"evalue\": \"x\"}}");
        let ended = |outputs: &[String]| {
            let cell = format!("{{\"cells\": [{{\"outputs\": [{}]}}]}}", outputs.join(","));
            let run = read(&cell).0.remove(0).run;
            let is_crash = run.ending.state == Crashed;
            assert_eq!(run.log.lines.iter().any(|line| line.text.ends_with("Error: x")), is_crash);
            (run.ending.state, run.ending.interrupted)
        };
        assert_eq!([ended(&[shown(9)]), ended(&[shown(3)])], [(Finished, false), (Unknown, false)]);
        assert_eq!(ended(&[shown(9), error("ValueError")]).0, Finished, "what follows the training failed");
        assert_eq!(ended(&[shown(9), error("KeyboardInterrupt")]), (Finished, false), "stopped behind the training");
        assert_eq!(ended(&[shown(3), error("OutOfMemoryError")]), (Crashed, false));
        assert_eq!(ended(&[shown(3), error("KeyboardInterrupt")]), (Killed, true));
        let printed = |text: &str| format!("{{\"text\": \"{text}\"}}");
        assert_eq!(ended(&[shown(3), printed("saved\\n^C\\n")]), (Killed, true), "a command of the shell");
        assert_eq!(ended(&[shown(3), printed("stop it by\\n ^C\\nsaved")]).0, Unknown, "something was printed since");
        assert_eq!(ended(&[shown(3), error("")]).0, Unknown, "the editor lost the kernel");
    }

    #[test]
    fn the_bar_and_the_result_of_a_cell_say_how_long_it_took() {
        let shown = |bar: &str| {
            format!(
                "{{\"data\": {{\"text/html\": [\"<progress value='147' max='200'></progress> {bar}{}\"]}}}}",
                table(3)
            )
        };
        let result = "{\"data\": {\"text/plain\": \"TrainOutput(global_step=9, training_loss=0.5, metrics={'train_runtime': 50.5, 'train_loss': 0.5})\"}}".to_owned();
        let time = |outputs: &[String]| {
            let run = read(&notebook(&[outputs.join(",")])).0.remove(0).run;
            let seconds = |key: &'static str| run.summary.number(&[key]).map(|(_, seconds)| seconds);
            (seconds("_runtime"), seconds("train_runtime"), run.ending.state)
        };
        let bar = shown("[147/200 29:17 < 10:42, 0.08 it/s, Epoch 1/9]");
        assert_eq!(time(std::slice::from_ref(&bar)), (Some(1757.0), None, RunState::Unknown));
        assert_eq!(time(&[bar, result]), (Some(1757.0), Some(50.5), RunState::Finished));
        assert_eq!(time(&[shown("[1/9 : < :, Epoch 0/1]")]).0, None);
        let padded = read(&notebook(&[shown("[ 147/200 29:17 < 10:42, 0.08 it/s, Epoch 1/9]")])).0.remove(0).run;
        assert_eq!(padded.summary.number(&["_runtime"]), Some(("_runtime", 1757.0)));
        assert_eq!(padded.config.number(&["max_steps"]), Some(("max_steps", 200.0)));
        assert_eq!(padded.ending.evidence, ["the Trainer's progress bar is at step 147 of 200"]);
    }

    #[test]
    fn supervised_trainings_and_evaluations_are_no_runs_beside_one_by_rewards() {
        let source = |text: &str, outputs: &[String]| {
            format!("{{\"source\": \"{text}\", \"execution_count\": 1, \"outputs\": [{}]}}", outputs.join(","))
        };
        let shown = |rows| format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(rows));
        let result = "{\"data\": {\"text/plain\": \"{'eval_loss': 0.25, 'eval_reward': 0.5}\"}}".to_owned();
        let rows: String =
            (1..=3).map(|row| format!("{{'loss': 0.5, 'reward': 1.{row}, 'epoch': 0.{row}}}\\n")).collect();
        let printed = format!("{{\"text\": \"{rows}\"}}");
        let first = [source("t = SFTTrainer(args=SFTConfig(seed=1))", &[]), source("t.train()", &[shown(5)])];
        let second = [
            source("t = GRPOTrainer(args=GRPOConfig(seed=2))", &[]),
            source("t.train()", &[printed]),
            source("t.evaluate()", &[result]),
        ];
        let (parts, problems) = read(&format!("{{\"cells\": [{}, {}]}}", first.join(","), second.join(",")));
        assert_eq!((parts.len(), problems.len()), (1, 1));
        assert_eq!(parts[0].run.columns["reward"].values(), [1.1, 1.2, 1.3]);
        assert_eq!(parts[0].run.columns["eval_reward"].points().collect::<Vec<_>>(), [(2, 0.5)]);
        let (parts, problems) = read(&format!("{{\"cells\": [{}]}}", first.join(",")));
        assert_eq!((parts.len(), problems.len()), (1, 0), "a notebook that is supervised as a whole");
    }

    #[test]
    fn accuracies_in_cells_around_a_training_are_of_its_run() {
        let printed = |text: &str| format!("{{\"text\": \"{text}\\n\"}}");
        let shown = |rows| format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(rows));
        let (before, behind) = (printed("Accuracy: 25.00% (15/60)"), printed("Final Accuracy: 45/60"));
        let (parts, _) = read(&notebook(&[before.clone(), shown(3), behind.clone()]));
        let columns = &parts[0].run.columns;
        assert_eq!((parts.len(), columns["step"].values()), (1, &[1.0, 2.0, 3.0][..]));
        assert_eq!(columns["eval/accuracy"].points().collect::<Vec<_>>(), [(0, 0.25), (2, 0.75)]);
        let other = shown(4).replace("0.1", "9.9");
        let (parts, _) = read(&notebook(&[before, shown(3), other, behind]));
        assert!(parts.iter().all(|part| !part.run.columns.contains_key("eval/accuracy")), "of one of two trainings");
    }

    #[test]
    fn a_table_of_one_row_is_a_run_where_there_is_no_other() {
        let shown = |rows| format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(rows));
        assert_eq!(read(&notebook(&[shown(1)])).0.len(), 1);
        let (parts, _) = read(&notebook(&[shown(1).replace("0.1", "9.9"), shown(4)]));
        assert_eq!((parts.len(), parts[0].run.row_steps.len()), (1, 4));
    }

    #[test]
    fn printed_lines_are_a_run_of_their_cell() {
        let lines: String =
            (1..=4).map(|step| format!("Average Reward: 0.{step}\\nStep {step}/4, loss: 0.5\\n")).collect();
        let printed = format!("{{\"output_type\": \"stream\", \"text\": \"{lines}\"}}");
        let table = format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(3));
        let (parts, _) = read(&notebook(&[printed, table]));
        let names: Vec<&str> = parts.iter().map(|part| part.run.name.as_str()).collect();
        assert_eq!(names, ["cell 2", "cell 3"]);
        assert_eq!(parts[0].run.columns["Average Reward"].values(), [0.1, 0.2, 0.3, 0.4]);
    }

    #[test]
    fn a_training_has_the_settings_of_the_cells_that_were_run_before_it() {
        let source = |count: &str, text: &str| format!("{{\"source\": [\"{text}\"], \"execution_count\": {count}}}");
        let output = format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(3));
        let cells = [
            source("1", "args = GRPOConfig(learning_rate=2e-6, num_generations=8)"),
            source("null", "args = GRPOConfig(learning_rate=1.0)"),
            "{\"cell_type\": \"markdown\", \"source\": \"GRPOConfig(beta=1)\"}".to_owned(),
            format!("{{\"source\": \"T(args).train()\", \"execution_count\": 2, \"outputs\": [{output}]}}"),
            source("3", "args = GRPOConfig(learning_rate=3.0)"),
        ];
        let (parts, _) = read(&format!("{{\"cells\": [{}]}}", cells.join(",")));
        let config: Vec<String> = parts[0].run.config.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(config, ["learning_rate=2e-6", "num_generations=8"]);
    }

    #[test]
    fn what_a_cell_prints_beside_a_table_is_of_its_run() {
        let printed = |text: &str| format!("{{\"text\": \"{text}\"}}");
        let cell = |text: &str| format!("{{\"data\": {{\"text/html\": \"{}\"}}}}, {}", table(3), printed(text));
        let rows: String =
            (1..=3).map(|row| format!("{{'loss': 0.{row}, 'reward': 1.{row}, 'epoch': 0.{row}}}\\n")).collect();
        let (parts, _) = read(&notebook(&[cell(&format!("{rows}{{'train_runtime': 9.5, 'epoch': 1.0}}\\n"))]));
        assert_eq!(parts.len(), 1);
        let run = &parts[0].run;
        assert_eq!(run.columns["reward"].values(), [1.1, 1.2, 1.3]);
        assert_eq!(run.columns["step"].values(), [1.0, 2.0, 3.0]);
        assert_eq!(run.ending.state, rundown_run::RunState::Finished);
        let answers: String = (1..=9).map(|step| format!("Step {step}: Age difference = {step}\\n")).collect();
        let (parts, _) = read(&notebook(&[cell(&answers)]));
        assert_eq!((parts.len(), parts[0].run.columns.len()), (1, 2), "answers of the model are no metrics");
        let banner = printed("Num Epochs = 1 | Total steps = 250\\n");
        let settings = |outputs: &[String]| read(&notebook(&[outputs.join(",")])).0[0].run.config.len();
        assert_eq!(settings(&[banner.clone(), cell("we get α = β = 4 (since β = 4)\\n")]), 2, "nor settings");
        assert_eq!(settings(&[banner, printed("β = 4\\n"), cell("")]), 3, "before the table they are");
    }

    #[test]
    fn a_loop_that_prints_rewards_more_often_than_its_table_shows_losses_has_the_printed_rows() {
        let shown = format!("{{\"data\": {{\"text/html\": \"{}\"}}}}", table(4));
        let rows: String = (1..=9).map(|row| format!("[log][step {row}] loss=0.1 reward=0.{row} kl=0.01\\n")).collect();
        let (parts, _) = read(&notebook(&[format!("{shown}, {{\"text\": \"{rows}\"}}")]));
        let columns = &parts[0].run.columns;
        assert_eq!((parts.len(), columns["reward"].len()), (1, 9));
        let lengths: Vec<_> = columns["completions / mean_length"].points().collect();
        assert_eq!(lengths, [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.4)]);
    }

    #[test]
    fn a_training_that_failed_before_its_first_row_is_a_run_without_rows() {
        let error = "{\"output_type\": \"error\", \"ename\": \"OutOfMemoryError\", \"evalue\": \"CUDA out of memory\"}";
        let cell = |source: &str, output: &str| {
            format!("{{\"source\": \"{source}\", \"execution_count\": 1, \"outputs\": [{output}]}}")
        };
        let read = |cells: &[String]| read(&format!("{{\"cells\": [{}]}}", cells.join(","))).0;
        let makes = cell("t = GRPOTrainer(args=GRPOConfig(seed=2))", "");
        let parts = read(&[makes.clone(), cell("t.train()", error)]);
        let run = &parts[0].run;
        assert_eq!((parts.len(), run.row_steps.len(), run.ending.state), (1, 0, RunState::Crashed));
        assert_eq!(run.log.lines[0].text, "OutOfMemoryError: CUDA out of memory");
        assert_eq!(run.config.number(&["seed"]), Some(("seed", 2.0)));
        assert_eq!(read(&[cell("model.train(); train_with_grpo(model)", error)]).len(), 1);
        let change = "{\"text\": \"We will change the batch size of 1 to the `num_generations` of 6\"}";
        let parts = read(&[cell("t = GRPOTrainer(args=GRPOConfig(seed=2))", change), cell("t.train()", error)]);
        assert_eq!(parts[0].run.config.number(&["num_generations"]), Some(("num_generations", 6.0)));
        assert!(read(&[makes.clone(), cell("print(1)", error)]).is_empty(), "something else failed");
        assert!(
            read(&[makes.clone(), cell("t.train()", error), cell("t.train()", "")]).is_empty(),
            "another try did not"
        );
        let lost = error.replace("OutOfMemoryError", "");
        assert!(read(&[makes, cell("t.train()", &lost)]).is_empty(), "the editor lost the kernel");
        assert!(read(&[cell("SFTTrainer(m).train()", error)]).is_empty(), "no training by rewards");
    }

    #[test]
    fn without_metrics_or_whole_json_it_says_so() {
        let (parts, problems) = read(&notebook(&["{\"text\": \"hello\"}".to_owned()]));
        assert!(parts.is_empty() && problems[0].weight == Weight::Remark, "{problems:?}");
        let (parts, problems) = read("{\"cells\": [");
        assert!(parts.is_empty() && problems[0].weight == Weight::Lost, "{problems:?}");
    }
}

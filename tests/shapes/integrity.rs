//! The data and the process itself.

use rundown_diagnose::{Code, Severity};

use crate::case::{Case, Log};
use crate::curve::level;
use crate::file::{Format, Row};
use crate::frameworks::{areal, nemo, open_instruct, own, prime, rllm, skyrl, slime, torchtune, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        nonfinite_values(),
        run_crashed(),
        stalled(),
        restarted_with_overlap(),
        duplicate_run(),
        metric_not_computed(),
        no_metrics(),
        rubric_not_logged(),
        histograms_missing(),
        sampled_history(),
        insufficient_data(),
    ]
}

/// AReaL: the gradient is NaN in the last three steps, and the run was ended there.
fn nonfinite_values() -> Case {
    Case::new(Code::NonfiniteValues, Severity::Critical, areal(240))
        .onset(238, 238)
        .fault("ppo_actor/update/grad_norm", |norm| norm.nan_from(238))
}

/// prime-rl in MLflow, which keeps only that the run failed.
fn run_crashed() -> Case {
    Case::new(Code::RunCrashed, Severity::Critical, prime(240).written_as(Format::MLflow))
        .but(|run| Log { steps: 150, ..run }.exits(Some(1)))
}

/// SkyRL: it hangs for three hours after twenty steps, more than the rest of the run takes.
fn stalled() -> Case {
    Case::new(Code::Stalled, Severity::Warning, skyrl(200))
        .onset(19, 21)
        .but(|run| run.edited(|rows| rows.iter_mut().skip(20).for_each(|row| row.second += 3.0 * 3600.0)))
}

/// torchtune: resumed twice, the second time from sixty steps before, with the warm-up taken again.
fn restarted_with_overlap() -> Case {
    fn twice(rows: &mut Vec<Row>) {
        let again = |from: usize, to: usize, rate: f64| {
            let mut rows: Vec<Row> = rows[from..to].to_vec();
            for (key, value) in rows.iter_mut().flat_map(|row| &mut row.values) {
                *value *= if *key == "lr" { rate } else { 1.0 };
            }
            rows
        };
        let (first, second) = (again(40, 50, 1.0), again(90, 150, 0.1));
        rows.splice(150..150, second);
        rows.splice(50..50, first);
    }
    Case::new(Code::RestartedWithOverlap, Severity::Warning, torchtune(240).written_as(Format::JsonLines))
        .onset(88, 152)
        .but(|run| run.edited(twice))
}

/// NeMo-RL: what is logged as the accuracy on held-out tasks is the reward of the training batch.
fn duplicate_run() -> Case {
    fn copied(rows: &mut [Row]) {
        for row in rows {
            let reward = row.values.iter().find(|(key, _)| *key == "train/reward").map_or(0.0, |(_, value)| *value);
            let held_out = row.values.iter_mut().find(|(key, _)| *key == "validation/accuracy");
            held_out.into_iter().for_each(|(_, value)| *value = reward);
        }
    }
    let run = nemo(200).with("validation/accuracy", level(0.26).saturates(0.64, 70).of(500));
    Case::new(Code::DuplicateRun, Severity::Warning, run).but(|run| run.edited(|rows| copied(rows)))
}

/// tunix: a gradient norm that is a placeholder.
fn metric_not_computed() -> Case {
    Case::new(Code::MetricNotComputed, Severity::Note, tunix(200)).fault("actor/train/grad_norm", |_| level(0.0))
}

/// A console log of rLLM whose tracker was switched off by an environment variable.
fn no_metrics() -> Case {
    let run = rllm(200).written_as(Format::Dictionaries);
    Case::new(Code::NoMetrics, Severity::Note, run).but(|run| {
        let text = "Loading checkpoint shards: 100%|##########| 4/4\nINFO trainer: WANDB_MODE=disabled\n\
                    INFO trainer: starting 200 steps\nINFO trainer: finished\n";
        Log { text, ..run }.edited(Vec::clear)
    })
}

/// NeMo-RL with a rubric's file in its settings, and no metric of a rubric.
fn rubric_not_logged() -> Case {
    let run = nemo(200).set("env.judge.rubric_path", "\"rubrics/essay.yaml\"");
    let run = run.with("criteria/judge/essay/style/mean", level(0.4).ramp(0.7, 1, 200).noise(0.02).every(10));
    Case::new(Code::RubricNotLogged, Severity::Note, run).but(|run| run.without("criteria/judge/essay/style/mean"))
}

/// open-instruct beside the reward logger of an own loop, whose histograms were switched off.
fn histograms_missing() -> Case {
    let run = open_instruct(240)
        .with("rewards/judge_mean", level(0.3).saturates(0.6, 80).noise(0.02))
        .with("rewards/judge_max", level(1.0))
        .with("rewards/judge_min", level(0.0))
        .with("rewards/judge_hist", level(1.0).every(10));
    Case::new(Code::HistogramsMissing, Severity::Note, run).but(|run| run.without("rewards/judge_hist"))
}

/// slime: an export of W&B's `history()`, which gives 500 of the 1200 rows.
fn sampled_history() -> Case {
    fn thinned(rows: &mut Vec<Row>) {
        let all = std::mem::take(rows);
        let count = all.len();
        let kept = |place: &usize| place * 500 / count != (place + 1) * 500 / count;
        *rows = (0..count).filter(kept).map(|place| all[place].clone()).collect();
    }
    let run = Log { step_key: "_step", ..slime(1200).written_as(Format::WandbJson) };
    Case::new(Code::SampledHistory, Severity::Note, run).but(|run| run.edited(thinned))
}

/// An own loop that was ended after 17 steps.
fn insufficient_data() -> Case {
    Case::new(Code::InsufficientData, Severity::Note, own(200)).but(|run| Log { steps: 17, ..run })
}

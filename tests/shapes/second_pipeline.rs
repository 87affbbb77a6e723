//! A second shape of faults of the machinery and of the record.

use rundown_diagnose::{Code, Severity};

use crate::case::{Case, Log};
use crate::curve::level;
use crate::file::{Format, Row};
use crate::frameworks::{areal, art, nemo, open_instruct, own, prime, rllm, tinker, torchtune};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        slower_steps(),
        fifth_of_the_throughput(),
        host_memory(),
        sampling_takes_all(),
        training_takes_all(),
        reloads_that_stand_out(),
        stalled_near_the_end(),
        nan_now_and_then(),
        killed(),
        entropy_not_computed(),
        resumed_with_the_same_settings(),
    ]
}

/// The tinker cookbook, which logs no throughput: steps take nearly twice as long from one to the next, early.
fn slower_steps() -> Case {
    Case::new(Code::ThroughputRegression, Severity::Warning, tinker(240))
        .onset(68, 74)
        .fault("time/total", |seconds| seconds.jump(70.0, 70))
}

/// open-instruct: a fifth of the tokens a second is lost at five sixths of the run, when another job comes.
fn fifth_of_the_throughput() -> Case {
    Case::new(Code::ThroughputRegression, Severity::Warning, open_instruct(300))
        .onset(244, 256)
        .fault("learner_tokens_per_second_step", |speed| speed.jump(1850.0, 250))
        .fault("time/total", |seconds| seconds.jump(66.0, 250))
}

/// An own loop: the host's memory grows in steps, one every thirty rows, when the data loader starts again.
fn host_memory() -> Case {
    let run = own(300).with("host_ram_used_gb", level(80.0).noise(0.4));
    Case::new(Code::MemoryCreep, Severity::Note, run).onset(1, 60).fault("host_ram_used_gb", |memory| {
        (1..10).fold(memory, |memory, stair| memory.jump(80.0 + 9.0 * stair as f64, 30 * stair))
    })
}

/// AReaL: phases take turns, and sampling takes 95 % of each step.
fn sampling_takes_all() -> Case {
    Case::new(Code::RolloutBound, Severity::Note, areal(220))
        .fault("timeperf/rollout", |_| level(400.0).factor(0.08))
        .fault("timeperf/train_step", |_| level(15.0).factor(0.08))
}

/// NeMo-RL: phases take turns, and training takes four fifths of each step.
fn training_takes_all() -> Case {
    Case::new(Code::TrainerBound, Severity::Note, nemo(220))
        .fault("timing/train/generation", |_| level(12.0).factor(0.05))
        .fault("timing/train/policy_training", |_| level(48.0).factor(0.05))
}

/// prime-rl: five times a broadcast of the weights takes two minutes, each time some steps later.
fn reloads_that_stand_out() -> Case {
    let run = prime(260).with("time/broadcast_weights", level(2.0).factor(0.15));
    Case::new(Code::VolumeReloadSlow, Severity::Note, run).onset(150, 150).fault("time/broadcast_weights", |seconds| {
        seconds.spikes(150, 1, 1, 120.0).spikes(171, 1, 1, 90.0).spikes(203, 1, 1, 130.0).spikes(240, 1, 1, 100.0)
    })
}

/// ART: a break of nine hours, ten steps before the end.
fn stalled_near_the_end() -> Case {
    fn late(rows: &mut [Row]) {
        rows.iter_mut().skip(230).for_each(|row| row.second += 9.0 * 3600.0);
    }
    Case::new(Code::Stalled, Severity::Warning, art(240).written_as(Format::JsonLines))
        .onset(229, 231)
        .but(|run| run.edited(|rows| late(rows)))
}

/// torchtune: every ninth loss is NaN, and the step is skipped.
fn nan_now_and_then() -> Case {
    fn skipped(rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| row.step % 9 == 0) {
            row.values.iter_mut().filter(|(key, _)| *key == "loss").for_each(|(_, value)| *value = f64::NAN);
        }
    }
    Case::new(Code::NonfiniteValues, Severity::Warning, torchtune(240).written_as(Format::Wandb))
        .onset(9, 9)
        .but(|run| run.edited(|rows| skipped(rows)))
}

/// NeMo-RL: the `.wandb` file just ends, at three fifths of the run.
fn killed() -> Case {
    Case::new(Code::RunCrashed, Severity::Note, nemo(250)).but(|run| Log { steps: 150, ..run }.exits(None))
}

/// rLLM: the entropy is 0 in each row, as its console prints it.
fn entropy_not_computed() -> Case {
    Case::new(Code::MetricNotComputed, Severity::Note, rllm(200).written_as(Format::Console))
        .fault("optim/entropy", |_| level(0.0))
}

/// prime-rl: resumed three times from the checkpoint before, with all of its settings.
fn resumed_with_the_same_settings() -> Case {
    fn again(rows: &mut Vec<Row>) {
        for at in [200, 120, 60] {
            let twice: Vec<Row> = rows[at - 20..at].to_vec();
            rows.splice(at..at, twice);
        }
    }
    Case::new(Code::RestartedWithOverlap, Severity::Note, prime(240)).onset(40, 201).but(|run| run.edited(again))
}

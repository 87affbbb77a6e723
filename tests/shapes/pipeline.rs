//! Time, failures and memory.

use rundown_diagnose::{Code, Severity};

use crate::case::Case;
use crate::curve::level;
use crate::file::Format;
use crate::frameworks::{areal, art, nemo, open_instruct, own, prime, skyrl, tunix};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        rollout_slow(),
        rollout_failures(),
        shares_of_failed_rollouts(),
        volume_reload_slow(),
        step_time_outliers(),
        throughput_regression(),
        trainer_bound(),
        rollout_bound(),
        low_overlap(),
        memory_creep(),
        error_rate_high(),
    ]
}

/// An own loop that logs the 95th percentile: in the last quarter it climbs from a minute to four.
fn rollout_slow() -> Case {
    let run = own(240).with("rollout/p95_latency_s", level(62.0).factor(0.08));
    Case::new(Code::RolloutSlow, Severity::Warning, run)
        .onset(185, 215)
        .fault("rollout/p95_latency_s", |seconds| seconds.ramp(240.0, 185, 40))
}

/// SkyRL: some of 256 trajectories end with an error in every third step, in the second half of the run.
fn rollout_failures() -> Case {
    let run = skyrl(240).with("generate/num_error_trajectories", level(0.0));
    Case::new(Code::RolloutFailures, Severity::Warning, run)
        .onset(121, 124)
        .fault("generate/num_error_trajectories", |count| count.spikes(121, 3, 40, 9.0))
}

/// An own loop that logs a share: a tenth of the sandboxes cannot be reached for the first forty steps.
fn shares_of_failed_rollouts() -> Case {
    let run = own(240).with("rollout/error_frac", level(0.002).of(256));
    Case::new(Code::RolloutFailures, Severity::Warning, run)
        .onset(1, 4)
        .fault("rollout/error_frac", |_| level(0.11).jump(0.002, 41).of(256))
}

/// NeMo-RL: the sampling engine takes half of each step to get the weights, from the first step on.
fn volume_reload_slow() -> Case {
    let run = nemo(200).with("timing/train/weight_sync", level(2.5).factor(0.1));
    Case::new(Code::VolumeReloadSlow, Severity::Note, run)
        .fault("timing/train/weight_sync", |_| level(30.0).factor(0.1))
        .fault("timing/train/total_step_time", |_| level(90.0).factor(0.05))
}

/// tunix: one step in the first fifth takes half an hour, and two in the last one.
fn step_time_outliers() -> Case {
    Case::new(Code::StepTimeOutliers, Severity::Note, tunix(260))
        .onset(43, 43)
        .fault("perf/train/global_step_time", |seconds| {
            seconds.spikes(43, 1, 1, 600.0).spikes(214, 1, 1, 500.0).spikes(231, 1, 1, 550.0)
        })
}

/// prime-rl: the trainer gets slower with each step from the middle on, to half of its tokens a second.
fn throughput_regression() -> Case {
    Case::new(Code::ThroughputRegression, Severity::Warning, prime(280))
        .onset(140, 235)
        .fault("perf/throughput", |speed| speed.ramp(9000.0, 140, 140))
        .fault("time/step", |seconds| seconds.ramp(90.0, 140, 140))
}

/// open-instruct: generation waits for the trainer half of each step.
fn trainer_bound() -> Case {
    let run = open_instruct(200).with("time/generation_waiting_for_trainer", level(3.0).factor(0.2));
    Case::new(Code::TrainerBound, Severity::Note, run)
        .fault("time/generation_waiting_for_trainer", |_| level(29.0).factor(0.15))
}

/// NeMo-RL, asynchronous: the trainer waits for samples in two of three seconds from the second fifth on.
fn rollout_bound() -> Case {
    let run = nemo(240).with("performance/training_worker_idle_time_ratio", level(0.06).noise(0.01));
    Case::new(Code::RolloutBound, Severity::Note, run)
        .fault("performance/training_worker_idle_time_ratio", |share| share.ramp(0.66, 48, 30))
}

/// AReaL beside an own share: a good overlap at first, nearly none in the last two thirds of the run.
fn low_overlap() -> Case {
    let run = areal(220).with("pipeline/overlap", level(0.7).noise(0.04));
    Case::new(Code::LowOverlap, Severity::Note, run).fault("pipeline/overlap", |share| share.ramp(0.08, 60, 20))
}

/// prime-rl: level for two thirds of the run, then the trainer's memory grows with each step.
fn memory_creep() -> Case {
    let run = prime(300).with("perf/peak_memory", level(48.0).noise(0.2));
    Case::new(Code::MemoryCreep, Severity::Note, run)
        .onset(180, 225)
        .fault("perf/peak_memory", |memory| memory.ramp(71.0, 200, 100))
}

/// ART: for a fifth of the run a quarter of the rollouts end in an exception; then all is as before.
fn error_rate_high() -> Case {
    Case::new(Code::ErrorRateHigh, Severity::Critical, art(240).written_as(Format::JsonLines))
        .onset(98, 106)
        .fault("train/exception_rate", |share| share.jump(0.26, 100).jump(0.002, 150))
}

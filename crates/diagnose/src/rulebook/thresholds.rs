//! The built-in thresholds: value, unit and source of each, which is a method of [`Rulebook`] of its name.

use super::{Rulebook, Threshold};
use std::borrow::Cow;

// Grouped by check. "measured" means: on public logs of GRPO and PPO runs with known outcome.
rules! {
    /// Fewest logged points of the reward or the evaluation before a run is checked.
    points_needed = 30.0 "points", "fewer give no stable first and last fifth";
    /// Fewest points after the end of the warm-up.
    points_after_warmup = 20.0 "points", "before that the learning rate, not the task, sets the curves";

    /// Fewest equal values that make a metric not computed.
    constant_points = 20.0 "equal values", "a computed entropy or KL never repeats to the last digit";

    /// Steps after which a reward logger must have logged histograms.
    histogram_steps = 100.0 "steps", "metrics guide: one every 10 steps, so ten of them";
    /// Fewest scores of which a histogram is made.
    histogram_samples = 10.0 "scores", "metrics guide: at least 10 samples";
    /// Steps after which the metrics of a rubric must have been logged.
    rubric_steps = 10.0 "steps", "metrics guide: rubric score every step, criteria every 10 steps";

    /// Factor on the confidence of findings on spikes, jumps and breaks in sampled history.
    sampled_confidence = 0.7 "of the confidence", "a bucket keeps the level and loses the order of its rows";

    /// Non-finite points at the end of a run that make it lost.
    nonfinite_tail = 2.0 "points in a row up to the end", "the optimiser does not come back from NaN parameters";
    /// Share of non-finite points, not at the end, that needs action.
    nonfinite_share = 0.05 "of the points", "single skipped steps are routine in mixed precision";

    /// KL to the reference, per token, at which the policy has left the reference for good.
    kl_critical = 2.0 "nats/token", "Axolotl training_stability: red above 2.0";
    /// KL per token above which a jump is worth a warning.
    kl_warning = 0.5 "nats/token", "Axolotl training_stability: healthy 0 to 0.5; measured healthy ends 0.02 to 0.32";
    /// How many times its earlier level a KL must jump to.
    kl_jump = 5.0 "times its earlier level", "HotpotQA GRPO runs: 0.48 to 2.57 in one step of the log, against a paired healthy run";
    /// Share of the run that the KL must stay up.
    kl_sustained = 0.1 "of the points", "shorter excursions are single tokens of the k3 estimate, which recover";

    /// KL per token below which a policy has not moved.
    conservative_kl = 0.01 "nats/token", "GRPO logs: below 0.01 the outputs are those of the reference";
    /// Relative change of entropy below which a policy has not moved.
    conservative_entropy = 0.1 "of its start", "GRPO logs: entropy of a run that learns changes by half or more";
    /// KL coefficient from which it holds the policy back.
    conservative_beta = 0.1 "", "usual 0 to 0.05; above 0.1 runs underfit";
    /// Fewest training steps logged before a policy must have moved.
    conservative_points = 60.0 "points", "movement is expected within 50 steps";

    /// Relative loss of entropy that is a collapse when learning has stopped.
    entropy_drop = 0.8 "of its start", "entropy mechanism paper (arXiv 2505.22617); measured 0.8 to 0.95 in runs that are spent";
    /// Entropy per token that is a collapse when learning has stopped.
    entropy_low = 0.05 "nats/token", "Axolotl training_stability: healthy 0.05 to 0.5";
    /// Entropy per token at the start below which there was nothing to lose.
    entropy_start = 0.05 "nats/token", "a policy this peaked before training has no exploration to lose";

    /// Share of the reward's gain that must come from the form of the answer.
    hacking_form_share = 0.7 "of the gain", "notebook runs: 0.9 of the gain from tag counts with no right answer";
    /// Change of a task reward, in parts of its observed range, below which it did not move.
    hacking_task_change = 0.1 "of its range", "smaller than the spread between batches";
    /// Share of the reward's best gain that must still be there at the end.
    hacking_kept = 0.6 "of the best gain", "a policy keeps to a shortcut that pays; a damaged one loses reward and task";
    /// Relative loss of the evaluation that tells hacking from over-training, when no reward function is known by name.
    hacking_evaluation_loss = 0.25 "of its start", "over-training on few prompts loses some points, a hacked reward most of the skill";

    /// Share of zero-variance groups that needs action.
    zero_variance_warning = 0.8 "of the groups", "Axolotl training_stability: above 0.8 little is left to learn from";
    /// The same where only a lower bound is known, from the mean of a binary reward.
    zero_variance_estimated = 0.7 "of the groups", "monitors of GRPO runs warn above 0.7; real shares are above the bound";
    /// Share of zero-variance groups, over half of the run, that leaves no gradient.
    zero_variance_critical = 0.99 "of the groups in the median step", "no group, no gradient";
    /// Share of the groups of the run, or of its second half, that is surely lost where the signal is called lost. With one
    /// group a step the median step has zero variance from one half on.
    zero_variance_lost = 0.8 "of the groups", "as the warning; with less, at least every fifth group still trains";

    /// Growth of the mean response length.
    length_growth = 1.5 "times its earlier level", "GPG on MATH: 218 to 327 tokens in two steps, then cut off; R1-like growth comes with a better evaluation";
    /// Growth of the mean response length that is an explosion even when it takes the whole run.
    length_growth_slow = 2.0 "times its start", "Verilog GRPO run: 163 to 1917 tokens while the reward fell";
    /// Rise of the truncation rate.
    length_truncation = 0.1 "more truncated responses", "ScaleRL: truncation above 10 to 15 % destabilises";
    /// Truncated share at which the reward measures the length limit.
    length_unusable = 0.8 "of the responses", "Axolotl training_stability: above 0.8 unusable";

    /// Size of a break, in standard deviations of a single step.
    break_size = 3.0 "standard deviations of a step", "a level change that shows without statistics";
    /// Size of a break against all falls of the run over three points.
    break_unusual = 5.0 "robust standard deviations of such falls", "one in three million steps by noise alone, whatever its autocorrelation";
    /// Share of a break that must happen within three points.
    break_abruptness = 0.6 "of the change within 3 points", "a slow decline has 0.1 to 0.3";

    /// Spikes within a window that make a cluster.
    spike_cluster = 5.0 "spikes", "measured: healthy runs have 3 to 4 at most in such a window";
    /// Width of the window, in points; or 5 % of the run when that is more.
    spike_window = 20.0 "points", "as for the cluster";
    /// Share of a window that must be spikes; decides in long runs, where the window is wide.
    spike_density = 0.15 "of the window", "heavy-tailed but harmless norms have 1 % of spikes spread over the run";
    /// Spread of the gradient norm that needs no single spikes: median absolute deviation of its logarithm.
    spike_spread = 1.2 "", "HotpotQA GRPO run: norms to 1927 throughout; measured there 1.6, healthy 0.1 to 0.6";

    /// Significance of a change of level.
    learning_z = 3.0 "SE", "false alarms: 0.3 % for independent noise; measured for AR(1) noise: 3 % at phi 0.5, 10 % at 0.7";
    /// Significance that needs a trend over the whole run beside it.
    learning_likely_z = 2.0 "SE", "two such signs together are as rare as one of three standard errors";
    /// Significance from which a gain is not ruled out.
    learning_hint_z = 1.5 "SE", "a weak sign of a gain keeps a run from being called flat";
    /// Smallest change of a share that counts.
    learning_share = 0.02 "", "one to two percentage points are within the noise of evaluations of hundreds of tasks";
    /// Smallest change of another measure that counts, in standard deviations of a point.
    learning_effect = 0.2 "standard deviations of a point", "GRPO logs: below 0.2 no trend is visible";
    /// Level of a share from which there is no room for learning.
    learning_room = 0.95 "", "the rest is label noise in most tasks";
    /// Share of a gain that must be lost again for a run to have declined.
    learning_lost = 0.5 "of the gain", "half of what was learned is gone";
    /// Gain that must be ruled out before a share is called flat.
    learning_missed_share = 0.08 "", "a run that could hide a gain of eight points is not called flat";
    /// The same for another measure, in standard deviations of a point.
    learning_missed = 0.7 "standard deviations of a point", "as for shares: a gain that shows in the plain curve of hundreds of points";
    /// Fewest evaluations that are checked; with fewer the reward is.
    learning_evaluations = 5.0 "evaluations", "three or four points show no noise to compare with";

    /// Share of errors that is worth a look.
    error_rate = 0.01 "", "experiment-analysis guide: below 1 % healthy, below 5 % degraded";
    /// The same from which it needs action.
    error_rate_unhealthy = 0.05 "", "experiment-analysis guide: below 5 % degraded, unhealthy above";
    /// Share of errors that spoils the batch.
    error_rate_critical = 0.2 "", "a fifth of the batch is missing, and not at random";

    // The task, its reward, and the process.
    /// Times the usual duration of a step that is a standstill.
    stall_factor = 10.0 "times the usual step", "live monitors of GRPO runs: late at 3 times, dead at 10 times";
    /// Fewest seconds that are a standstill.
    stall_seconds = 600.0 "s", "live monitors of GRPO runs: ten minutes";
    /// Share of the run's time that a standstill must have cost before it needs action.
    stall_share = 0.25 "of the run's time", "less is a preemption or a queue";
    /// Factor between the learning rates before and after a restart.
    restart_learning_rate = 2.0 "times the other", "a schedule that goes on changes by less between two steps";
    /// Fewest points, and all of them equal, that make two metrics copies of each other.
    duplicate_points = 20.0 "equal points", "two measured series never agree to the last digit for so long";

    /// Part of the largest reward that the mean must be for all responses to score alike.
    format_level = 0.8 "of the largest reward", "ours: the remaining fifth may lack the format";
    /// Largest reward that can be taken for a score of the format alone.
    format_score = 0.2 "", "TinyZero Countdown gives 0.1 for the format and 1 for the answer; recipes weigh it 0.1 to 0.2";
    /// Share of an evaluation below which the task is not solved at all.
    format_solved = 0.02 "", "chance";
    /// Size of a swing of the reward, in standard deviations from step to step.
    unstable_swing = 4.0 "standard deviations from step to step", "far beyond what one batch differs from the next";
    /// Size of a swing of the reward, in parts of its best gain.
    unstable_lost = 0.5 "of the best gain", "half of what was learned is lost each time";
    /// Number of such swings.
    unstable_swings = 3.0 "", "drops that recovered; two may be accidents";
    /// Growth of the spread of the reward.
    unstable_spread = 3.0 "times its early spread", "rlwatch: the spread of the reward triples";
    /// Rise of the share of invalid outputs.
    invalid_rise = 0.05 "", "a parse rate five points lower: look at the parser before the policy";
    /// Growth of the spread of rewards.
    spread_growth = 3.0 "times its start", "ours; measured healthy: within a factor of 2";
    /// Part of its peak that the reward after penalties must lose while the score rises.
    penalised_fall = 0.2 "of its peak", "a KL penalty of usual weight costs less than a fifth";
    /// Other signals that must move with it for a collapse, exceeded.
    joint_signs = 2.0 "signals", "KL, entropy, length, invalid outputs: each alone has harmless causes (rl-training-diagnoser guide)";

    /// Share of the run that a plateau must last.
    plateau_share = 0.4 "of the points", "a shorter one may be noise";
    /// Gain that must be ruled out on a plateau.
    plateau_gain = 0.2 "of the gain before it", "more would be worth waiting for";
    /// Share of the gain that must be lost for a fall from the peak to need action.
    regression_lost = 0.33 "of the gain", "the peak's checkpoint is the better model";
    /// Share of the points that a run must be flat before its reward lifts off.
    lift_off_flat = 0.35 "of the points", "a notebook run of Qwen2.5-3B was flat for more than a third of its steps, then rose tenfold";
    /// Significance that a gain from the first to the best evaluation needs after the choice of the best.
    gain_p = 0.05 "", "two-sided, Bonferroni over the evaluations that were looked at";

    /// Share of the mean response length that is left.
    length_collapse = 0.5 "of its start", "half of the answer is gone";
    /// Share of cut-off responses worth knowing.
    truncation_note = 0.05 "", "AReaL: more than 5 % of responses without an end is a fault";
    /// Share of cut-off responses that needs action.
    truncation_warning = 0.1 "", "10 to 15 % go with destabilised training";
    /// Share of cut-off responses that needs action even where something is learned.
    truncation_severe = 0.2 "", "a fifth of the responses has no result; Axolotl training_stability calls 0.3 severe";
    /// Mean length, in parts of the limit, from which the limit sets it.
    pinned_level = 0.97 "of the limit", "nearly every response is cut off";
    /// Share of the points at the limit.
    pinned_share = 0.5 "of the points", "a Phi-4 notebook run: 200 of 200 tokens in most steps";
    /// The same share from which it is noted.
    pinned_share_note = 0.3 "of the points", "no mean of free lengths repeats the limit so often";
    /// Rank correlation of reward and length across steps.
    coupling_rho = 0.5 "", "length exploits: above 0.5 across steps";
    /// Significance of the correlation of their changes from step to step.
    coupling_z = 4.0 "SE", "two curves that rise always agree; their changes agree only when one pays for the other";
    /// Growth of the length that makes such a correlation matter.
    coupling_growth = 1.2 "times its start", "less costs little";
    // Policy movement, entropy, optimiser, off-policy.
    /// KL per token from which it is watched, and above which a single value is a spike.
    kl_watch = 0.2 "nats/token", "experiment-analysis guide: spikes and runaway above 0.2, stable below 0.1";
    /// KL per token below which it is stable again.
    kl_stable = 0.1 "nats/token", "experiment-analysis guide: stable below 0.1";
    /// KL per token at the end above which no healthy run ended.
    kl_usual = 0.32 "nats/token", "measured: healthy public GRPO and PPO runs end at 0.02 to 0.32";
    /// Spikes of the KL, each above the warning level, that harm a run.
    kl_spike_count = 3.0 "spikes", "one or two that recover are single tokens of the k3 estimate";
    /// Gain of the reward below which a KL was spent for nothing.
    kl_reward_effect = 1.0 "standard deviations of a point", "a smaller gain does not show in the plain curve";
    /// KL per token at the first step above which the reference is not the start.
    reference_kl = 0.05 "nats/token", "TRL and verl: near 0 at the first step; slime's tests allow 1e-8 of kl_loss";
    /// The same from which the KL term pulls to another policy.
    reference_kl_warning = 0.1 "nats/token", "measured: 0.3 to 0.6 with quantised or resumed policies";
    /// KL of the policy to the one that sampled, over one batch.
    update_kl = 0.02 "nats/token", "Spinning Up: target KL 0.01 to 0.05";
    /// The same that is far beyond every recipe.
    update_kl_critical = 0.05 "nats/token", "Spinning Up: target KL 0.01 to 0.05, stop at 1.5 times";
    /// Share of clipped tokens that is too large for GRPO.
    clip_fraction = 0.05 "of the tokens", "measured 0 to 0.006 in healthy GRPO and PPO runs on language models";
    /// Share of clipped tokens or sequences that is too large for any loss.
    clip_fraction_bad = 0.3 "", "Axolotl training_stability: bad above 0.3; GSPO clips 0.15 of its sequences";
    /// Distance of the mean importance ratio from 1.
    ratio_mean = 0.02 "from 1", "AReaL docs: off by more than 2 %, take fewer minibatches";
    /// Largest importance ratio.
    ratio_max = 5.0 "", "single tokens reach it; when it lasts the policy has left the sampler";

    /// Entropy per token at which a policy has nothing left to choose from.
    entropy_nothing = 0.01 "nats/token", "Axolotl training_stability: collapse below 0.01";
    /// Growth of the entropy that is an explosion when learning has stopped.
    entropy_growth = 1.5 "times its start", "verl run on code: 0.116 to 0.31 nats/token while the reward stood still";
    /// Growth of the entropy that damages the policy.
    entropy_growth_critical = 3.0 "times its start", "outputs turn into noise";

    /// Gradient norm at the end, in parts of its start, that has died.
    gradient_dying = 0.2 "of its start", "measured: healthy GRPO and PPO runs keep half or more";
    /// Growth of the gradient norm over the run.
    gradient_growth = 2.0 "times its start", "verl FAQ: a gradient norm that grows and grows; measured 0.9 to 1.3 in healthy runs";
    /// Gradient norm above which the policy may be unstable.
    gradient_high = 50.0 "", "experiment-analysis guide: below 50";
    /// Spread of high gradient norms that makes them more than a matter of scale.
    gradient_scatter = 0.6 "", "measured in healthy runs: 0.1 to 0.6";
    /// Gradient norm that has diverged.
    gradient_diverged = 1000.0 "", "wandb-grpo: diverged above 1e3";
    /// Size of a policy loss that is large where it was near zero before.
    loss_large = 1.0 "", "normalised advantages are about 1 and cancel over a group: a mean of 1 needs ratios far from 1";
    /// Growth of a policy loss that is large and still below what advantages can give.
    loss_jump = 50.0 "times its earlier size", "ours: a loss of 0.02 that becomes 1 or more is no noise of the batch";
    /// Loss that has diverged.
    loss_diverged = 1e6 "", "wandb-grpo: diverged above 1e6";
    /// Growth of the size of a loss.
    loss_growth = 10.0 "times its earlier size", "an order of magnitude, and it lasts";
    /// Size of a policy loss that normalised advantages cannot give.
    loss_reason = 3.0 "", "normalised advantages are about 1, and ratios are clipped near 1";
    /// Distance of a spike of the policy loss from its neighbours.
    loss_spike = 8.0 "times its noise", "ours: above six, the textbook's, for the heavy tails of healthy losses";
    /// How far the learning rate must be above the usual range to be blamed for a decline alone.
    rate_unusual = 5.0 "times the usual maximum", "recipes of one framework differ by less";
    /// Part of the run in which a learning rate that is too high shows.
    rate_window = 0.15 "of the run after its peak", "KL, clip fraction and gradient norm rise within the first tenth";
    /// Share of the run at a learning rate of zero that is no end of a schedule.
    rate_zero = 0.1 "of the run", "a cosine that ends with the run is below a thousandth of its peak for the last 2 %";
    /// First learning rate, in parts of its largest, that is no warm-up.
    warmup_start = 0.9 "of the largest", "a warm-up begins near zero";
    /// Points in which a missing warm-up shows.
    warmup_points = 20.0 "points", "usual warm-up: 3 to 10 % of the steps";
    /// Size of a spike that a missing warm-up leaves.
    warmup_spike = 3.0 "times the level after", "as for other spikes: three times the local median";
    /// Explained variance below which a critic is worse than a constant.
    explained_variance = 0.0 "", "PPO practice: below 0 the critic overfits or sees noise; healthy 0.5 to 0.8";
    /// Explained variance from which a critic is of use, whatever the size of its loss.
    explained_variance_useful = 0.3 "", "PPO practice: 0 to 0.3 is weak, healthy 0.5 to 0.8; measured -0.65 to 0.6 within 60 steps";
    /// Growth of the value loss over its best that a critic should not show.
    value_loss_growth = 3.0 "times its lowest level", "measured: the value loss of healthy PPO runs falls and stays down";
    /// Share of clipped value predictions.
    value_clip = 0.3 "", "measured 0 to 0.1 in healthy PPO runs once the critic has settled";

    /// KL between sampler and trainer.
    mismatch_kl = 0.001 "nats/token", "NeMo RL docs/guides/grpo.md: investigate above 1e-3";
    /// The same that biases the gradient.
    mismatch_kl_critical = 0.01 "nats/token", "NeMo RL and verl rollout_corr docs: 10 times what is to be investigated";
    /// Mean difference of token probabilities between sampler and trainer.
    mismatch_probability = 0.005 "", "verl FAQ: below 0.005 is usual";
    /// The same that biases the gradient.
    mismatch_probability_critical = 0.01 "", "verl FAQ: above 0.01 there is a precision problem";
    /// Mean difference of token log-probabilities between sampler and trainer.
    mismatch_logprob = 0.1 "nats/token", "Axolotl training_stability and slime's tests: below 0.1";
    /// The same that biases the gradient.
    mismatch_logprob_critical = 1.0 "nats/token", "Axolotl training_stability: above 1.0";
    /// Correlation of token probabilities of sampler and trainer.
    mismatch_correlation = 0.99 "", "ours, from practice: above 0.99 in sound set-ups";
    /// The same that biases the gradient.
    mismatch_correlation_critical = 0.95 "", "ours, from practice: below 0.95 the engines differ";
    /// Effective sample size of the importance weights.
    mismatch_sample_size = 0.3 "of the samples", "verl rollout_corr docs: at least 0.3";
    /// The same at which a few samples carry the batch.
    mismatch_sample_size_critical = 0.1 "of the samples", "verl rollout_corr docs: below 0.1";
    /// Growth of a mismatch that warns of a collapse.
    mismatch_growth = 3.0 "times its start", "prime-rl docs: sustained growth comes before an off-policy collapse";
    /// KL to the reference, summed over a response, that no responses of the policy have.
    negative_kl = -1.0 "nats/sequence", "TRL 0.11, ppo_trainer.py: warns below -1 (sampling settings that are not the policy's)";
    /// Mean age of the samples.
    staleness_mean = 2.0 "updates", "one to two updates are usual in asynchronous training";
    /// Age of samples beyond published recipes.
    staleness_limit = 8.0 "updates", "prime-rl: max_off_policy_steps 8";
    /// Share of samples dropped for their age.
    staleness_dropped = 0.1 "of the samples", "a tenth of the generation is thrown away";
    /// Growth of the mean age.
    staleness_growth = 2.0 "times its start", "the trainer falls behind the samplers, or the sync has stopped";
    // Pipeline, extraction, cache, league, scaling and rubric.
    /// 95th percentile of the duration of a rollout that needs action.
    rollout_p95 = 120.0 "s", "experiment-analysis guide: p95 below 120 s";
    /// Share of rollouts that may take longer than that.
    rollout_slow_share = 0.05 "of the rollouts", "what a 95th percentile means";
    /// Output tokens per second below which the sampling engine is slow.
    rollout_tokens = 50.0 "tokens/s", "experiment-analysis guide: output above 50 tokens/s";
    /// Input tokens per second of a request below which the sampling engine is slow, in comparisons.
    input_tokens = 500.0 "tokens/s", "experiment-analysis guide: input above 500 tokens/s";
    /// Sequences in a batch of the sampling engine below which it is little used, in comparisons.
    engine_batch = 4.0 "sequences", "experiment-analysis guide: batches above 4";
    /// Share of steps with failed rollouts.
    rollout_failed_steps = 0.1 "of the steps", "analyze-experiment guide: failed rollouts 0 or minimal; single ones are retried";
    /// Share of rollouts that fail.
    rollout_failed_share = 0.05 "of the rollouts", "prime-rl monitoring skill: above 5 % is suspicious";
    /// Share of a step that reloading weights takes.
    reload_share = 0.2 "of the step", "ours: a fifth of all machine time";
    /// Shortest single reload that counts, where other reloads are much shorter.
    reload_spike = 10.0 "s", "shorter waits are scheduling";
    /// Share of the run's time that outliers must take to need action.
    outlier_share = 0.2 "of the time", "ours: a fifth of all machine time";
    /// Loss of throughput that counts.
    throughput_loss = 0.15 "of its earlier level", "smaller changes are within the spread of prompts";
    /// The same where only the time of whole steps is known.
    step_time_loss = 0.33 "of its earlier pace", "measured: steps of healthy runs on shared machines differ by up to a quarter";
    /// Share of a step that one side may wait for the other.
    wait_share = 0.3 "of the step", "asynchronous trainers: above 0.3 one side is too small";
    /// Share of sampling in a step from which it is the bottleneck.
    rollout_share = 0.9 "of the step", "70 % and more is usual for long reasoning";
    /// Share of updates in a step from which they are the bottleneck.
    train_share = 0.7 "of the step", "sampling is the longer part of most GRPO steps";
    /// Overlap of sampling and training that is little, as a share of the shorter one.
    overlap_low = 0.3 "of the shorter phase", "analyze-experiment guide: low overlap is a bottleneck; half and more is usual where there is any";
    /// Growth of memory that is worth a look.
    memory_growth = 0.2 "of its start", "Search-R1 run: 74 to 147 GB of host memory; without a leak it settles";
    /// Percent of the memory at which processes are killed.
    memory_full = 95.0 "%", "the kernel and the caches need the rest";

    /// Share of outputs that must be extracted.
    extraction_rate = 0.95 "", "experiment-analysis and analyze-experiment guides: above 95 %";
    /// Share of extracted outputs at which the reward measures the parser.
    extraction_critical = 0.5 "", "more responses are lost than scored";
    /// Share of empty responses.
    responses_empty = 0.05 "", "experiment-analysis guide: below 5 %";
    /// Share of partial responses.
    responses_partial = 0.1 "", "experiment-analysis guide: below 10 %";
    /// Growth of a number of bad responses of which no share is known.
    responses_growth = 3.0 "times their earlier number", "analyze-experiment guide: sudden spikes suggest a problem of the outputs";

    /// Part of the run in which a cache may be cold.
    cache_warm_up = 0.2 "of the points", "analyze-experiment guide, after the warm-up";
    /// Hit rate of a warm cache.
    cache_warm = 0.5 "", "analyze-experiment guide: above 50 % after the warm-up";
    /// Hit rate that is low.
    cache_low = 0.3 "", "analyze-experiment guide: below 30 % check the prompt's structure";
    /// Change of a hit rate that counts.
    cache_change = 0.1 "", "smaller changes come with the mix of prompts";

    /// Gain over the base model to be expected after 50 steps, at the least; twice as much at best.
    elo_gain_50 = 20.0 "Elo", "experiment-analysis guide: 20 to 50 at 50 steps";
    /// The same after 200 steps.
    elo_gain_200 = 50.0 "Elo", "experiment-analysis guide: 50 to 100 at 200 steps";
    /// The same after 500 steps.
    elo_gain_500 = 100.0 "Elo", "experiment-analysis guide: 100 to 200 at 500 steps and more";
    /// Change of a rating that is more than a slight one.
    elo_change = 20.0 "Elo", "experiment-analysis guide: within 20 of the peak is a slight decline";
    /// Share of a gain that must be lost again.
    elo_lost = 0.3 "of the gain", "less is within the wander of ratings between games";
    /// Significance of a change of ratings.
    elo_z = 3.0 "SE", "false alarms: 0.3 % for independent noise";
    /// Standard error of a difference of ratings from which no usual gain can be told.
    elo_error = 50.0 "Elo", "as large as the gain to be expected after 200 steps";
    /// Win rate at even strength.
    win_rate_even = 0.5 "", "equal strength wins half of the games";

    /// Deviation from the usual compute of a step.
    compute_deviation = 0.2 "of the usual compute", "analyze-experiment guide: compute per step should be consistent";
    /// Share of steps that may deviate.
    compute_uneven = 0.05 "of the steps", "single steps are restarts and last batches";
    /// Powers of ten of compute that a power law needs.
    power_law_span = 1.0 "powers of ten", "over less any curve is straight";
    /// Share of the variance that a power law must explain.
    power_law_fit = 0.5 "of the variance", "below it noise decides the exponent";
    /// Slope after a bend at which scaling has ended.
    scaling_flat = 0.25 "of the slope before", "four times the compute for what one bought before";
    /// Strength of a bend.
    scaling_bend = 20.0 "F", "noise alone seldom passes 10";

    /// Change of a criterion that counts.
    criterion_change = 0.05 "of the scale", "the wander of a mean of 20 scores";
    /// Gain of the other criteria from which a stuck one stands out.
    criterion_gain = 0.1 "of the scale", "ours: twice the change that counts";
    /// Share of the others' gain that a stuck criterion has at most.
    criterion_stuck = 0.2 "of the others' gain", "a fifth of what training can do for a criterion";
}

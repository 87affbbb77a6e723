//! Lines of text and the labelled numbers in them.

use super::*;

#[test]
fn a_quoted_text_before_a_pair_is_no_part_of_its_name() {
    let line = r#"time="2026-01-02T03:00:00Z" level=info msg="train step" step=7 reward=0.5"#;
    assert_eq!(pairs(line), [("step", 7.0), ("reward", 0.5)]);
    assert_eq!(pairs("device='cuda:0'"), []);
}

#[test]
fn places_in_code_and_prepositions_are_no_names() {
    let line =
        "[2026-01-02 10:00:00,065] [INFO] [fused_optimizer.py:363:update] Reducing loss scale from 65536 to 32768.0";
    assert_eq!(pairs(line), []);
    assert_eq!(pairs("[train.py:12] loss: 0.5"), [("loss", 0.5)]);
}

fn pairs(line: &str) -> Vec<(&str, f64)> {
    numbers(line).into_iter().map(|number| (number.name, number.value)).collect()
}

#[test]
fn names_may_have_several_words() {
    let line = "Epoch:[1/1](3/9751), Reward: -1.4468, Adv Std: 0.9257, Avg Response Len: 286.75, LR: 3.0e-07";
    let expected = [
        ("Epoch", 1.0),
        ("", 3.0),
        ("Reward", -1.4468),
        ("Adv Std", 0.9257),
        ("Avg Response Len", 286.75),
        ("LR", 3e-7),
    ];
    assert_eq!(pairs(line), expected);
    assert_eq!(pairs("average reward score: -0.67919921875"), [("average reward score", -0.67919921875)]);
    assert_eq!(
        pairs("|E2E latency=7.99s |Generate time=5.26s (65.81%)"),
        [("E2E latency", 7.99), ("Generate time", 5.26)]
    );
}

#[test]
fn a_sentence_before_a_name_is_no_part_of_it() {
    assert_eq!(pairs("Step 2/5 completed. Objective: 0.5"), [("Step", 2.0), ("Objective", 0.5)]);
    assert_eq!(pairs("Avg. Reward: 0.5"), [("Avg. Reward", 0.5)]);
}

#[test]
fn counters_are_known_with_and_without_a_name() {
    let line = "[gsm8k_8B_100step]   7/100 | loss=-0.0993 | reward=0.250 | acc=25.0%";
    assert_eq!(pairs(line), [("", 7.0), ("loss", -0.0993), ("reward", 0.25), ("acc", 25.0)]);
    let line = "Iteration 1/1, Step 12/500, GRPO iter 1/1, loss: 0.0050";
    assert_eq!(pairs(line), [("Iteration", 1.0), ("Step", 12.0), ("iter", 1.0), ("loss", 0.005)]);
    assert_eq!(
        pairs("[Step 10/100] loss = 0.5 | reward/mean: -0.001"),
        [("Step", 10.0), ("loss", 0.5), ("reward/mean", -0.001)]
    );
}

#[test]
fn a_count_of_results_is_a_share() {
    assert_eq!(pairs("step=2 correct=1/2 Accuracy: 3/4"), [("step", 2.0), ("correct", 0.5), ("Accuracy", 0.75)]);
    assert_eq!(pairs("batch: 1/2"), [("batch", 1.0)]);
}

#[test]
fn a_name_between_separators_needs_no_sign() {
    assert_eq!(pairs("Epoch 3 | Loss 0.51 | Mean Reward 1.2"), [("Epoch", 3.0), ("Loss", 0.51), ("Mean Reward", 1.2)]);
    assert_eq!(pairs("we took 3 of them and left 2"), []);
    assert_eq!(pairs("| Reward 0.5 per episode, Loss 0.1"), [("Reward", 0.5), ("Loss", 0.1)]);
    let line = "Iter 2: Train loss -0.673, Total rewards mean 0.250, Peak mem 32.9 GB";
    let expected = [("Iter", 2.0), ("Train loss", -0.673), ("Total rewards mean", 0.25), ("Peak mem", 32.9)];
    assert_eq!(pairs(line), expected);
}

#[test]
fn a_tab_separates_a_name_from_its_number_where_both_stand_alone() {
    assert_eq!(pairs("MeanEntropy \t 2.397886"), [("MeanEntropy", 2.397886)]);
    assert_eq!(pairs("Elapsed time\t 106.067 seconds"), [("Elapsed time", 106.067)]);
    for text in ["Table 3", "MeanEntropy  2.4", "width\t3\t5", "the sum of it all is\t3", "7\t3"] {
        assert_eq!(pairs(text), [], "{text}");
    }
}

#[test]
fn single_words_before_numbers_are_names_where_two_are_of_metrics() {
    let line = "GRPO step 0001  reward_mean 0.17  success 16.96%  kl 2e-4";
    assert_eq!(pairs(line), [("step", 1.0), ("reward_mean", 0.17), ("success", 16.96), ("kl", 2e-4)]);
    let line = "    5/80  loss +0.0018  reward 0.1696  300 tok/resp";
    assert_eq!(pairs(line), [("", 5.0), ("loss", 0.0018), ("reward", 0.1696)]);
    for text in ["a reward of 5 and a kl of 3", "the reward was 5 and the kl was 3"] {
        assert_eq!(pairs(text), [], "{text}");
    }
}

#[test]
fn a_unit_in_brackets_is_part_of_the_name() {
    assert_eq!(pairs("    - E2E (Tokens/sec/gpu): 1501.00"), [("E2E (Tokens/sec/gpu)", 1501.0)]);
    assert_eq!(pairs("(a=1) loss (mean): 0.5"), [("a", 1.0), ("loss (mean)", 0.5)]);
    assert_eq!(pairs("loss (step 3): 0.5"), [("step", 3.0)]);
    assert_eq!(pairs("ep=  10  reward(last50)=  62.88"), [("ep", 10.0), ("reward(last50)", 62.88)]);
}

#[test]
fn prefixes_of_loggers_and_types_of_numbers_are_no_names() {
    let line = "2025-09-25 04:05:16,956 - train - INFO - rl_loss: 0.0038, reward: {'total_num': 256, 'low': tensor(0.28, device='cuda:0')}, kl: nan";
    assert_eq!(
        pairs(line).into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
        ["rl_loss", "total_num", "low", "kl"]
    );
    assert_eq!(pairs("tokens: 3,145,805,824"), [("tokens", 3_145_805_824.0)]);
    assert_eq!(pairs("mean reward: np.float64(0.5)"), [("mean reward", 0.5)]);
    assert_eq!(pairs("`epoch: 0|step: 35"), [("epoch", 0.0), ("step", 35.0)], "a sign of Markdown");
    assert_eq!(
        pairs("[step 0052] SKIP rewards=[0,1] rollout=151s, sizes: [1, 2, 6]"),
        [("step", 52.0), ("rewards", 0.5), ("reward_group_std", 0.5), ("rollout", 151.0), ("sizes", 3.0)]
    );
    assert_eq!(pairs("x=[0.5] y=[1, a] z: [1"), [("x", 0.5), ("y", 1.0), ("z", 1.0)]);
}

#[test]
fn a_list_may_have_blanks_alone_between_its_numbers_and_is_none_where_it_goes_on_below() {
    let group = [("step", 3.0), ("rewards", 0.5), ("reward_group_std", 0.5), ("kl", 0.25)];
    assert_eq!(pairs("step 3 rewards: [ 0. 1.  0. 1. ] kl: 0.25"), group);
    assert_eq!(pairs("step 3 rewards: [0, 1, 0, 1], kl: 0.25"), group);
    assert_eq!(pairs("step 3 Rewards: [0.25457143 0.2102     0.1294"), [("step", 3.0)]);
    assert_eq!(pairs("step 3 rewards: tensor([0.5, 1.0, 0.0,"), [("step", 3.0)]);
    let curve = format!("step 3 rewards: [{}]", ["0.5"; 600].join(", "));
    assert_eq!(pairs(&curve), [("step", 3.0)], "no group is so large");
}

#[test]
fn what_was_measured_may_stand_before_its_step() {
    assert_eq!(pairs("Reward at iter 256: 9.4"), [("iter", 256.0), ("Reward", 9.4)]);
    assert_eq!(
        pairs("Average reward after episode 10 = -3.5, kl: 0.1"),
        [("episode", 10.0), ("Average reward", -3.5), ("kl", 0.1)]
    );
    assert_eq!(pairs("Saved model at step 100: 5 files"), [("step", 100.0)]);
}

#[test]
fn comparisons_and_statements_of_code_name_no_numbers() {
    for text in
        ["    if second_index != -1", "x += 2", "while low <= 10:", "key=lambda x: 1", "for i = 3", "return a >= 5"]
    {
        assert_eq!(pairs(text), [], "{text}");
    }
    assert_eq!(pairs("==> loss = 0.5"), [("loss", 0.5)]);
    assert_eq!(pairs("Best: item[3] (score=0.5)"), [("score", 0.5)], "a place in a list");
}

#[test]
fn text_has_no_labelled_numbers() {
    for text in [
        "",
        "loss is 0.5",
        "http://127.0.0.1:8265",
        "date: 2026/01/02",
        "Qwen3-8B",
        "time 12:30:05",
        "checkpoint=3/x",
        "The file has 200 GB at 2 GB/minute, but 40% of the way through the download, it stops",
        "She has 5 of them, and 3 apples, and a pear",
        " 50%|##  | 1/2 [00:01<00:01, 1.9s/it]",
    ] {
        assert_eq!(pairs(text), [], "{text}");
    }
}

#[test]
fn a_rate_beside_metrics_is_one_of_them() {
    let metrics = [("Step", 10.0), ("loss", 0.51), ("reward", 0.3)];
    assert_eq!(pairs("Step 10/500 | loss=0.51 | reward=0.30 | 2.3 it/s"), metrics);
    assert_eq!(pairs("Step 10 | tokens/iter=4096"), [("Step", 10.0), ("tokens/iter", 4096.0)]);
    assert_eq!(pairs("Step 10 | hit/success=0.4"), [("Step", 10.0), ("hit/success", 0.4)]);
}

#[test]
fn the_progress_of_an_evaluation_has_no_metrics() {
    let line = "Steps:  84/128  65% | Samples:  84/128 | accuracy: 0.02 | subprocesses: 10/10, docker: 0/999999";
    assert_eq!(pairs(line), []);
    let training = "Steps: 84/128 | Samples: 84/128 | reward: 0.02";
    assert_eq!(pairs(training), [("Steps", 84.0), ("Samples", 84.0), ("reward", 0.02)]);
    assert_eq!(pairs("Steps: 84/128 | Samples: 672/1024 | accuracy: 0.02").len(), 3);
}

#[test]
fn units_of_numbers_are_read() {
    let line = "step 10 | batch_size=2K | tokens=1.2M | time=950ms";
    assert_eq!(pairs(line), [("step", 10.0), ("batch_size", 2e3), ("tokens", 1.2e6), ("time", 0.95)]);
}

#[test]
fn the_time_that_a_part_took_is_no_metric() {
    let line = "Timing (step 2): generation=13.1s, rewards=4.69s, advantages=0.00s, loss_update=8.51s, total=33.9s";
    assert_eq!(pairs(line), [("step", 2.0), ("generation", 13.1), ("total", 33.9)]);
    assert_eq!(pairs("step 10  kl 0.5  loss 0.25  reward 950ms"), [("step", 10.0), ("kl", 0.5), ("loss", 0.25)]);
    let named = [("reward_time", 4.69), ("reward_s", 4.69), ("reward", 5e3)];
    assert_eq!(pairs("reward_time=4.69s, reward_s=4.69s, reward=5k"), named);
}

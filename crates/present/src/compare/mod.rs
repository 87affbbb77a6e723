//! Comparisons of many runs, as blocks that the page, Markdown and HTML show alike.
//!
//! Every builder answers its question in a sentence first, then shows the numbers, then draws them. One without data
//! says nothing at all.

mod advice_cache;
mod best_config_words;
mod board;
mod effect_words;
mod effects;
mod experiment_words;
mod front;
mod league;
mod league_tables;
mod many;
mod next;
mod parts;
mod pipeline;
mod ranked_league;
mod repeats;
mod rubric;
mod rubric_tables;
mod scaling;
mod selection;
mod setting_panel;
mod settings;
mod signals;
mod tracker;
mod tracker_row;
mod verdicts;

pub use advice_cache::AdviceCache;
pub use best_config_words::{no_config_words, origin_words, value_reason};
pub use board::{board, standings};
pub use effect_words::{effect_notes, effect_sentence, failure_sentence};
pub use effects::{advice, effects};
pub use experiment_words::{ExperimentWords, experiment_words};
pub use front::front;
pub use league::league;
pub use many::{many, shortly};
pub use next::next;
pub use parts::WIDTH;
pub(super) use pipeline::health_in_words;
pub use pipeline::pipeline;
pub(super) use pipeline::seen;
pub use repeats::{GROUP_SEED, repeats};
pub use rubric::rubric;
pub use scaling::scaling;
pub use selection::{NamedCost, Selection, costs};
pub use settings::{settings, settings_in_short};
pub use signals::signals;
pub use tracker::{tracker, tracker_row};
pub use verdicts::verdicts;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rundown_compare::RunSummary;
    use rundown_compare::facts::RewardTarget;
    use rundown_content::Block;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::{ConfigValue, Histogram, Run};

    const KEYS: [&str; 24] = [
        "game/avg_sc_count",
        "placement/top3_rate",
        "elo/challenger",
        "elo/adapter_v1",
        "elo/adapter_v2",
        "elo/base_model",
        "elo/random_bot",
        "elo/games_played",
        "eval/vs_random_bot/win_rate",
        "eval/vs_random_bot/games",
        "eval/adapter_v1/vs_random_bot/wins",
        "eval/adapter_v1/vs_random_bot/games",
        "benchmark/reward_mean",
        "power_law/cumulative_flops",
        "power_law/flops_per_step",
        "benchmark/rollout_time_s",
        "benchmark/pipeline_overlap_s",
        "benchmark/trajectories",
        "extraction/x_expected",
        "extraction/x_extracted",
        "cache/hit_rate",
        "cache/prompt_tokens",
        "criteria/a/b_mean",
        "rewards/part/mean",
    ];

    fn run(values: &[Vec<f64>]) -> Run {
        let mut run = Run { name: "odd".to_owned(), ..Run::default() };
        for (step, values) in values.iter().enumerate() {
            let row = run.push_row(step as f64, 10.0 * step as f64);
            for (key, value) in KEYS.iter().zip(values) {
                run.push_value(key, row, *value);
            }
            let (edges, counts) = values.split_at(values.len() / 2);
            let histogram = Histogram { row, edges: edges.to_vec(), counts: counts.to_vec() };
            run.histograms.entry("rewards/part_hist".to_owned()).or_default().push(histogram);
        }
        if let Some(value) = values.first().and_then(|values| values.first()) {
            run.summary.insert("final/part_mean", ConfigValue::Number(*value));
            run.summary.insert("final/part_std", ConfigValue::Number(-value));
        }
        run.choose_axis();
        run
    }

    fn all(summaries: &[&RunSummary]) -> Vec<Block> {
        [
            league(summaries, WIDTH),
            scaling(summaries, RewardTarget::default(), WIDTH),
            pipeline(summaries, WIDTH),
            rubric(summaries, WIDTH),
        ]
        .concat()
    }

    #[test]
    fn nothing_is_shown_without_data() {
        assert_eq!(all(&[]), []);
        assert_eq!(all(&[&RunSummary::default()]), []);
        let run = Run::default();
        assert_eq!(all(&[&RunSummary::of(0, (&run, &diagnose(&run, &Rulebook::default())))]), []);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn odd_numbers_break_nothing(
            values in prop::collection::vec(prop::collection::vec(prop_oneof![
                0.0..1.0f64, 900.0..1100.0f64, prop::num::f64::ANY, Just(1e308), Just(0.0),
            ], 24), 0..40),
        ) {
            let (one, other) = (run(&values), run(values.get(..values.len() / 2).unwrap_or(&[])));
            let summary = |number, run| RunSummary::of(number, (run, &diagnose(run, &Rulebook::default())));
            let (one, other) = (summary(1, &one), summary(2, &other));
            for block in all(&[&one, &other]) {
                if let Block::Table(table) = block {
                    prop_assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.caption);
                }
            }
        }
    }
}

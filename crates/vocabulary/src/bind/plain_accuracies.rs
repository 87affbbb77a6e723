//! Accuracies, win rates and scores of retrieval that do not say that they were held out: they count after every key that
//! says so.

use super::{Binder, Meaning};
use crate::evaluation::{plain_accuracy, retrieval_score, win_rate};
use crate::held_out::is_of_training;
use crate::table::Keys;
use crate::task_sets::is_task_set;
use crate::{Concept, Scale, Unit};

/// What only a league has: there a win rate is against opponents that learn as well, and stands still by design.
const LEAGUE: [Concept; 4] = [Concept::Elo, Concept::ReferenceElo, Concept::WinRate, Concept::LeagueCheckpoints];

impl Binder<'_> {
    #[inline(never)]
    pub(super) fn plain_accuracies(&mut self, keys: &Keys<'_>) {
        let is_league = LEAGUE.iter().any(|concept| self.bindings.first(*concept).is_some());
        // Scores of retrieval come last: an accuracy beside them says whether the task was solved.
        let others = keys.iter().filter(|(normal, _)| !retrieval_score(normal));
        for (normal, key) in others.chain(keys.iter().filter(|(normal, _)| retrieval_score(normal))) {
            let is_retrieval = retrieval_score(normal);
            let is_set = is_task_set(normal);
            let is_win_rate = win_rate(normal);
            if self.keys.contains(*key)
                || (is_win_rate && is_league)
                || !(is_set || is_win_rate || is_retrieval || plain_accuracy(normal))
            {
                continue;
            }
            let scale = self.scale_of_share(key);
            if self.is_the_reward(key, scale) {
                continue;
            }
            // What is called after a set of tasks, or won, may be anything where it is no share of them.
            if (is_set && scale != Some(Scale::One)) || (is_win_rate && scale.is_none()) {
                continue;
            }
            let what = match (is_win_rate, is_retrieval) {
                (true, _) => "A win rate",
                (false, true) => "A score of retrieval",
                (false, false) => "An accuracy",
            };
            let why = match is_of_training(key) {
                true => format!("{what} of the training's own responses, by its prefix."),
                false => format!("{what} that does not say where it was measured; it may be the training batch."),
            };
            let unit = if scale.is_some() { Unit::Share } else { Unit::Plain };
            let meaning = Meaning::plain(Concept::Evaluation, unit, Some(normal.clone()));
            self.push(key, Meaning { scale: scale.unwrap_or(Scale::One), ..meaning }, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use super::super::tests::{first, run};
    use crate::Concept;

    #[test]
    fn a_prefix_says_that_an_accuracy_is_of_the_training() {
        let why = |key: &str| bind(&run(&[key])).first(Concept::Evaluation).map(|found| found.why.clone()).unwrap();
        assert!(why("train_accuracies_avg").contains("of the training's own responses"));
        assert!(why("accuracy").contains("does not say"));
    }

    #[test]
    fn scores_of_retrieval_count_after_accuracies() {
        let primary = |keys: &[&str]| first(&bind(&run(keys)), Concept::Evaluation).map(str::to_owned);
        assert_eq!(primary(&["NDCG@10", "Recall@10", "loss"]).as_deref(), Some("NDCG@10"));
        assert_eq!(primary(&["recall@10", "success_rate"]).as_deref(), Some("success_rate"));
        assert_eq!(primary(&["recall", "loss"]), None, "a classifier's, perhaps");
    }
}

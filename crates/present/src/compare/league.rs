//! Which league is really better, and by how much.

use super::league_tables;
use super::parts::{MAX_DRAWN, MAX_ROWS, key, key_span, maybe, name, push, push_list, run, run_span};
use super::ranked_league::{RankedLeague, ranked};
use rundown_compare::RunSummary;
use rundown_compare::facts::{EloGain, GainBasis, PlayerRole, UnexpectedWinRate};
use rundown_compare::{is_sure, of_both};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::{RichText, counted, percent_to, plus_minus, rich};
use rundown_plot::figure::{ChartSeries, LineChart};
use rundown_stats as stats;

/// Share of a gain whose loss gets a remark (as in the check of shrinking gaps).
const LOST_SHARE: f64 = 0.3;

/// The leagues of these runs: what was gained against opponents that never change, the table of good and bad signs, win
/// rates, and ratings. Empty where no run has a league.
pub fn league(summaries: &[&RunSummary], width: f64) -> Vec<Block> {
    let (against, placed) = ranked(summaries);
    if placed.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("League"), answer(&placed, &against)];
    push_list(&mut blocks, signals(&placed, &against));
    push_list(&mut blocks, remarks(&placed));
    blocks.push(Block::text(
        "± is half of a 95 % interval. A rating's error is the larger of what its number of games allows and how much it \
         varied; the best checkpoint was picked from several, so a gain is significant only when it exceeds \
         the selection bias as well. Elo is relative: only differences to opponents that never change mean progress.",
    ));
    push(&mut blocks, gains(&placed, &against));
    blocks.extend(gaps_over_steps(&placed, width));
    league_tables::ranks(&mut blocks, &placed);
    league_tables::signs(&mut blocks, &placed);
    league_tables::win_rates(&mut blocks, &placed);
    league_tables::fits(&mut blocks, &placed);
    league_tables::ratings(&mut blocks, &placed);
    league_tables::game_metrics(&mut blocks, &placed);
    blocks
}

fn answer(placed: &[RankedLeague<'_>], against: &GainBasis) -> Block {
    let rated = || placed.iter().filter_map(|league| Some((league.summary, league.standing.best.as_ref()?)));
    let Some((summary, best)) = rated().next() else {
        let only = placed.iter().all(|placed| placed.league.only_moving());
        return Block::text(if only {
            "No league can be rated: no opponent in it is fixed. Against opponents that learn too, a policy wins half \
             of its games however strong it becomes. Rate the base model or a scripted opponent as well."
        } else {
            "No ratings against fixed opponents are logged: the win rates below are all there is."
        });
    };
    let stands = |gain: &EloGain| {
        let height = plus_minus(gain.value, gain.half());
        rich!("{} is {} Elo above {}", key_span(&gain.who), height, against.words())
    };
    let Some((other, next)) = rated().nth(1) else {
        let gained = if best.is_shown() { "gained" } else { "shows no significant gain" };
        return Block::text(rich!("{} {}: {}.", run_span(summary), gained, stands(best)));
    };
    let Some((first, shown)) = rated().find(|(_, gain)| gain.is_shown()) else {
        return Block::text(rich!(
            "No league shows a significant gain: the highest is {}, where {}.",
            run_span(summary),
            stands(best)
        ));
    };
    if !best.is_shown() {
        return Block::text(rich!(
            "{} shows the highest significant gain: {}. {} has a higher one, {}, {}.",
            run_span(first),
            stands(shown),
            run_span(summary),
            plus_minus(best.value, best.half()),
            doubt(best)
        ));
    }
    let (lead, half) = (best.value - next.value, of_both(best.half(), next.half()));
    let caution = if *against == GainBasis::Own {
        "The two have no fixed opponent in common, so the difference is not on one scale."
    } else if half.is_nan() {
        "How many games were played is not logged, so the error of that is unknown."
    } else if is_sure(lead, half) {
        "The difference is beyond its error."
    } else {
        "That is within the error: which of the two is better is open."
    };
    Block::text(rich!(
        "{} gained the most: {}, {} more than in {}. {}",
        run_span(summary),
        stands(best),
        plus_minus(lead, half),
        run_span(other),
        caution
    ))
}

/// Why a gain is not significant.
fn doubt(gain: &EloGain) -> String {
    if gain.error.is_none() {
        return "whose error is unknown".to_owned();
    }
    if gain.value <= gain.half() {
        return "which is within its error".to_owned();
    }
    let picked_from = counted(gain.looks, "checkpoint");
    format!("which is beyond its error, but not beyond the selection bias of the best of {picked_from}")
}

/// The learning signal of each league with ratings.
fn signals(placed: &[RankedLeague<'_>], against: &GainBasis) -> Vec<Vec<Span>> {
    let rated = placed.iter().filter(|placed| !placed.league.agents.is_empty()).take(MAX_ROWS);
    let signal = |placed: &RankedLeague<'_>| {
        rich!("{}: learning signal: {}.", run_span(placed.summary), placed.learning(against)).into()
    };
    rated.map(signal).collect()
}

/// What else is worth a sentence: leagues without a gain, those that lost theirs, opponents that never change and are
/// missing, and win rates that the ratings do not explain.
fn remarks(placed: &[RankedLeague<'_>]) -> Vec<Vec<Span>> {
    let mut items = Vec::new();
    for (place, RankedLeague { summary, league, standing }) in placed.iter().enumerate().take(MAX_DRAWN) {
        let run = run_span(summary);
        if league.only_moving() {
            items.push(rich!("{} has only moving opponents: its ratings and win rates cannot show progress.", &run));
        }
        if let Some((best, now)) = standing.best.as_ref().zip(standing.now.as_ref()) {
            if lost(best, now) {
                items.push(rich!(
                    "{} declined from its best checkpoint, which stands at {}, the policy now at {}. Take {}, not the \
                     last state.",
                    &run,
                    plus_minus(best.value, best.half()),
                    plus_minus(now.value, now.half()),
                    key_span(&best.who)
                ));
            }
            if place > 0 && !best.is_shown() {
                let gain = plus_minus(best.value, best.half());
                items.push(rich!("{} shows no significant gain ({}).", &run, gain));
            }
        }
        for surprise in league.surprises() {
            let Some(expected) = surprise.expected else { continue };
            let why = if surprise.share > expected {
                "the rate rose in training by more than its error, so it may exploit a weakness of that opponent."
            } else {
                "the ratings predict more wins than were observed: rely on neither alone."
            };
            items.push(rich!(
                "{} wins {} against {}, where the ratings predict {}: {}",
                &run,
                percent_to(surprise.share, 1),
                key_span(&surprise.opponent),
                percent_to(expected, 1),
                why
            ));
        }
    }
    items.extend(beaten(placed));
    items.into_iter().map(Vec::from).collect()
}

/// Opponents without a rating that are beaten far more often than all others, each once.
fn beaten(placed: &[RankedLeague<'_>]) -> Vec<RichText> {
    let mut found: Vec<(UnexpectedWinRate, &RunSummary, usize)> = Vec::new();
    for RankedLeague { summary, league, .. } in placed {
        for surprise in league.surprises().into_iter().filter(|surprise| surprise.expected.is_none()) {
            match found.iter_mut().find(|(known, ..)| known.opponent == surprise.opponent) {
                Some((_, _, leagues)) => *leagues += 1,
                None => found.push((surprise, summary, 1)),
            }
        }
    }
    let sentence = |(surprise, summary, leagues): (UnexpectedWinRate, &RunSummary, usize)| {
        let more = if leagues > 1 { format!(" (and stands out in {leagues} leagues)") } else { String::new() };
        rich!(
            "{} loses {} of its games in {}{}, far more than any other opponent and more than at the start: it may be \
             exploited, and more wins against it show little.",
            key_span(&surprise.opponent),
            percent_to(surprise.share, 1),
            run_span(summary),
            more
        )
    };
    found.into_iter().take(MAX_DRAWN).map(sentence).collect()
}

/// True when the policy surely fell from its best checkpoint.
fn lost(best: &EloGain, now: &EloGain) -> bool {
    let fall = best.value - now.value;
    best.is_shown() && fall > best.half() && fall > LOST_SHARE * best.value
}

fn gains(placed: &[RankedLeague<'_>], against: &GainBasis) -> Table {
    let caption = format!("Elo above {}, best first", against.words());
    let columns = [
        Words("Run"),
        Numbers("Best checkpoint"),
        Words("Checkpoint"),
        Numbers("Policy now"),
        Words("Significant"),
        Numbers("Checkpoints"),
        Numbers("Games"),
        Numbers("Fixed opponents"),
    ];
    let mut table = Table::new(&caption, &columns);
    for RankedLeague { summary, league, standing } in placed {
        let gain =
            |gain: Option<&EloGain>| gain.map_or_else(Cell::default, |gain| Cell::plus_minus(gain.value, gain.half()));
        let best = standing.best.as_ref();
        let shown = match best {
            Some(best) if best.is_shown() => "yes",
            Some(best) if best.error.is_none() => "error unknown",
            Some(_) => "no",
            None => "no fixed opponent",
        };
        let checkpoints = league.checkpoints().count() as f64 + f64::from(league.left_out);
        table.rows.push(vec![
            run(summary),
            gain(best),
            best.map_or_else(Cell::default, |best| key(&best.who)),
            gain(standing.now.as_ref()),
            Cell::text(shown),
            maybe(Some(checkpoints)),
            maybe(league.games),
            Cell::number(league.fixed().count().to_string(), league.fixed().count() as f64),
        ]);
    }
    table
}

/// The policy's rating minus that of the base model, or of the first fixed opponent, over the steps.
fn gaps_over_steps(placed: &[RankedLeague<'_>], width: f64) -> Option<Block> {
    let mut drawn: Vec<(String, Vec<f64>, Vec<f64>)> = Vec::new();
    for RankedLeague { summary, league, .. } in placed.iter().take(MAX_DRAWN) {
        let Some((now, fixed)) = league.now().zip(league.fixed().next()) else { continue };
        let Some((own, other)) = summary.trace(&now.key).zip(summary.trace(&fixed.key)) else { continue };
        let reference = stats::forward_fill(&other.steps, &other.values, &own.steps);
        let gap = own.values.iter().zip(reference).map(|(own, other)| own - other).collect();
        let against = if fixed.role == PlayerRole::Base { String::new() } else { format!(" against {}", fixed.name) };
        drawn.push((name(summary) + against.as_str(), own.steps.clone(), gap));
    }
    if drawn.is_empty() {
        return None;
    }
    let series = drawn.iter().enumerate().map(|(place, (name, x, y))| ChartSeries::new(place, name, x, y));
    let chart = LineChart::over_steps("Elo of the policy above the base model", "Elo", series);
    Some(Block::Figure(chart.draw(width)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::facts::{League, RatedAgent, RatingLevel};

    #[test]
    fn a_gain_beyond_its_error_leads_one_that_is_not() {
        let run = |name: &str, elo: f64, error: Option<f64>| {
            let agent = |name: &str, value: f64, error: Option<f64>| RatedAgent {
                name: name.to_owned(),
                role: PlayerRole::of(name),
                last: RatingLevel { value, error },
                ..RatedAgent::default()
            };
            let agents = vec![agent("adapter_v9", 1000.0 + elo, error), agent("base_model", 1000.0, Some(0.0))];
            let league = Some(League { agents, ..League::default() });
            RunSummary { name: name.to_owned(), league, ..RunSummary::default() }
        };
        let said = |runs: &[RunSummary]| {
            let all: Vec<&RunSummary> = runs.iter().collect();
            let (against, placed) = ranked(&all);
            rundown_content::markdown([&answer(&placed, &against)])
        };
        let (wide, narrow) = (run("wide", 80.0, Some(50.0)), run("narrow", 60.0, Some(10.0)));
        let shown = said(&[wide.clone(), narrow.clone()]);
        assert!(shown.starts_with("narrow shows the highest significant gain"), "{shown}");
        assert!(shown.contains("wide has a higher one, 80 ± 98, which is within its error"), "{shown}");
        assert!(said(&[run("bare", 80.0, None), narrow.clone()]).contains("whose error is unknown"));
        assert!(said(&[wide.clone(), run("low", 20.0, Some(50.0))]).starts_with("No league shows a significant gain"));
        let mut lucky = run("lucky", 80.0, Some(30.0));
        lucky.league.as_mut().unwrap().left_out = 19;
        let shown = said(&[lucky, narrow.clone()]);
        assert!(
            shown.contains("80 ± 59, which is beyond its error, but not beyond the selection bias of the best of 20"),
            "{shown}"
        );
        assert!(said(&[run("high", 80.0, Some(5.0)), narrow]).starts_with("high gained the most"));
    }
}

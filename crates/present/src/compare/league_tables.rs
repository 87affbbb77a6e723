//! The tables of the League view: good and bad signs, win rates, ratings from games, and Elo of every agent.

use super::parts::{key, maybe, maybe_share, push, push_list, run, run_span};
use super::ranked_league::RankedLeague;
use rundown_compare::facts::{League, LeagueSign, LeagueSigns, RatedAgent, Z_95};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table};
use rundown_format::rich_text::tabular;
use rundown_format::{number, rich};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;

/// Leagues whose agents are listed one by one.
const MAX_LEAGUES: usize = 4;
/// Largest KL of a stable run (experiment-analysis guide), in the unit in which it is logged.
const KL_UNSTABLE: f64 = 10.0;

/// The table of the experiment-analysis guide, a row for each run.
pub(super) fn signs(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [
        Words("Run"),
        Numbers("Base model's Elo"),
        Numbers("Other fixed opponents"),
        Numbers("Gap of the best checkpoint"),
        Numbers("Older checkpoints"),
        Numbers("KL"),
    ];
    let mut table = Table::new("Good and bad signs of the experiment-analysis guide", &columns);
    for RankedLeague { summary, league, standing } in placed.iter().filter(|placed| !placed.league.agents.is_empty()) {
        let signs = LeagueSigns::of(league, standing.best.as_ref(), standing.now.as_ref());
        let moved = |sign: Option<(f64, f64, LeagueSign)>| {
            sign.map_or_else(Cell::default, |(first, last, sign)| {
                let text = rich!("{} → {}: {}", tabular(first.round()), tabular(last.round()), sign.words());
                Cell::number(text, last - first)
            })
        };
        let gap = signs.gap.map(|(gap, sign)| Cell::number(rich!("{}: {}", tabular(gap.round()), sign.words()), gap));
        let older = signs.older.map(|(fallen, all, sign)| {
            Cell::number(format!("{fallen} of {all} fell: {}", sign.words()), fallen as f64 / all as f64)
        });
        let kl = signs.kl.map(|(typical, largest, sign)| {
            let text = rich!("{}, at most {}: {}", tabular(typical), tabular(largest), sign.words());
            Cell::number(text, largest)
        });
        let cells = [gap, older, kl].map(Option::unwrap_or_default);
        table.rows.push([run(summary), moved(signs.base), moved(signs.bots)].into_iter().chain(cells).collect());
    }
    if let Some(RankedLeague { league: League { rulebook, .. }, .. }) =
        placed.first().filter(|_| !table.rows.is_empty())
    {
        blocks.push(Block::part("Signs"));
        blocks.push(Block::text(format!(
            "Good: fixed opponents and older checkpoints fall, the gap grows, KL stays below {}. Bad: they rise, the gap \
             shrinks, KL passes {}. Changes within {} Elo or within their error are unclear. Among themselves fixed \
             opponents are zero-sum, so one may fall because another rose: go by the gap.",
            number(rulebook.kl_stable().value),
            number(rulebook.kl_watch().value),
            number(rulebook.elo_change().value)
        )));
    }
    push(blocks, table);
}

/// The rankings of a sweep: by gap, by the base model's Elo and by what the fixed opponents lost.
pub(super) fn ranks(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [
        Words("Run"),
        Numbers("Gap, Elo"),
        Numbers("Rank by gap"),
        Numbers("Base model's Elo"),
        Numbers("Rank by base model"),
        Numbers("Lost by fixed opponents, Elo"),
        Numbers("Rank by loss"),
        Words("KL above 10"),
    ];
    let rated: Vec<&RankedLeague<'_>> = placed.iter().filter(|placed| placed.league.fixed().next().is_some()).collect();
    if rated.len() < 2 {
        return;
    }
    let gaps: Vec<Option<f64>> =
        rated.iter().map(|placed| placed.standing.best.as_ref().map(|best| best.value)).collect();
    let bases: Vec<Option<f64>> = rated.iter().map(|placed| placed.league.base_elo()).collect();
    let lost: Vec<Option<f64>> = rated.iter().map(|placed| placed.league.lost_by_fixed()).collect();
    let mut table = Table::new("Rankings of the experiment-analysis guide", &columns);
    for (place, placed) in rated.iter().enumerate() {
        let of = |values: &[Option<f64>], is_low_best: bool| {
            let own = values.get(place).copied().flatten();
            let is_ahead = |other: f64| own.is_some_and(|own| if is_low_best { other < own } else { other > own });
            let ahead = values.iter().flatten().filter(|other| is_ahead(**other)).count();
            [maybe(own.map(f64::round)), maybe(own.map(|_| ahead as f64 + 1.0))]
        };
        let kl = placed.league.kl.map_or("", |(_, largest)| if largest > KL_UNSTABLE { "yes" } else { "no" });
        let cells = [of(&gaps, false), of(&bases, true), of(&lost, false)].into_iter().flatten();
        table.rows.push([run(placed.summary)].into_iter().chain(cells).chain([Cell::text(kl)]).collect());
    }
    blocks.push(Block::part("Rankings"));
    blocks.push(Block::text(
        "A low rating of the base model and a large loss of the fixed opponents are good; runs with a KL above 10 are \
         unstable. Ratings of different leagues are not on one scale: where the rankings differ, the gap counts.",
    ));
    push(blocks, table);
}

/// Metrics of games that are no ratings.
pub(super) fn game_metrics(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [Words("Run"), Words("Metric"), Numbers("First fifth"), Numbers("Last fifth"), Words("Trend")];
    let mut table = Table::new("Games and placements", &columns);
    for RankedLeague { summary, league, .. } in placed.iter().take(MAX_LEAGUES) {
        table.rows.extend(league.game_metrics.iter().map(|metric| {
            let course = Cell::text(metric.course.as_str());
            vec![run(summary), key(&metric.key), maybe(Some(metric.first)), maybe(Some(metric.last)), course]
        }));
    }
    if !table.rows.is_empty() {
        blocks.push(Block::part("Games"));
    }
    push(blocks, table);
}

/// Win rates by opponent.
pub(super) fn win_rates(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [
        Words("Run"),
        Words("Opponent"),
        Words("Kind"),
        Numbers("Win rate"),
        Numbers("From"),
        Numbers("To"),
        Numbers("Games"),
        Numbers("Elo predicts"),
    ];
    let mut table = Table::new("Win rates at the end, with 95 % intervals", &columns);
    for RankedLeague { summary, league, .. } in placed {
        let mut rates: Vec<_> = league.win_rates.iter().collect();
        rates.compact_sort_by(|a, b| b.share.total_cmp(&a.share));
        for rate in rates {
            let (low, high) = rate.interval.unzip();
            table.rows.push(vec![
                run(summary),
                key(&rate.opponent),
                Cell::text(rate.role.words()),
                maybe_share(Some(rate.share)),
                maybe_share(low),
                maybe_share(high),
                maybe(rate.games),
                maybe_share(predicted(league, &rate.opponent)),
            ]);
        }
    }
    if !table.rows.is_empty() {
        blocks.push(Block::part("Win rates"));
        blocks.push(Block::text("A rate without a number of games has no interval: log the games beside it."));
    }
    push(blocks, table);
}

/// The win rate that the difference of ratings predicts.
fn predicted(league: &League, opponent: &str) -> Option<f64> {
    let other = league.agents.iter().find(|agent| agent.name == opponent)?;
    Some(stats::expected_score(league.now()?.last.value - other.last.value))
}

/// Ratings from counted games.
pub(super) fn fits(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [
        Words("Run"),
        Words("Player"),
        Words("Kind"),
        Numbers("Elo above the anchor"),
        Words("Anchor"),
        Numbers("Games"),
    ];
    let mut table = Table::new("Ratings by Bradley and Terry from counted games", &columns);
    let mut in_circles = Vec::new();
    for RankedLeague { summary, league, .. } in placed {
        let Some(fit) = &league.fit else { continue };
        for player in &fit.players {
            let half = player.error.map_or(f64::NAN, |error| Z_95 * error);
            table.rows.push(vec![
                run(summary),
                key(&player.name),
                Cell::text(player.role.words()),
                Cell::plus_minus(player.elo, half),
                key(&fit.anchor),
                maybe(Some(player.games)),
            ]);
        }
        if fit.p < 0.001 {
            in_circles.push(rich!(
                "{}: no single scale explains these games (p < 0.001). Some players beat each other in a circle, so a \
                 rating says little about a pair.",
                run_span(summary)
            ));
        }
    }
    if !table.rows.is_empty() {
        blocks.push(Block::part("Ratings from games"));
    }
    push(blocks, table);
    push_list(blocks, in_circles.into_iter().map(Vec::from).collect());
}

/// Every rated agent of the first leagues.
pub(super) fn ratings(blocks: &mut Vec<Block>, placed: &[RankedLeague<'_>]) {
    let columns = [
        Words("Run"),
        Words("Agent"),
        Words("Kind"),
        Numbers("Elo at the end"),
        Words("Trend"),
        Numbers("First"),
        Numbers("Peak"),
        Numbers("At step"),
    ];
    let mut table = Table::new("Elo of every agent, strongest first", &columns);
    for RankedLeague { summary, league, .. } in placed.iter().take(MAX_LEAGUES) {
        let mut agents: Vec<&RatedAgent> = league.agents.iter().collect();
        agents.compact_sort_by(|a, b| b.last.value.total_cmp(&a.last.value).then_with(|| a.name.cmp(&b.name)));
        table.left_out += league.left_out;
        for agent in agents {
            table.rows.push(vec![
                run(summary),
                key(&agent.name),
                Cell::text(agent.role.words()),
                Cell::plus_minus(agent.last.value, agent.last.half()),
                Cell::text(agent.course.as_str()),
                Cell::number(tabular(agent.first.round()), agent.first),
                Cell::number(tabular(agent.best.0.round()), agent.best.0),
                maybe(Some(agent.best.1)),
            ]);
        }
    }
    if !table.rows.is_empty() {
        blocks.push(Block::part("Ratings"));
        blocks.push(Block::text(
            "Trend: rising or falling by more than 20 Elo over all ratings of an agent, by the Mann-Kendall test or beyond \
             the error of its levels, at 99 %.",
        ));
    }
    push(blocks, table);
}

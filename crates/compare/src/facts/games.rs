//! Win rates and ratings from counted games.
//!
//! Games stand in three places: metrics such as `eval/vs_random_bot/win_rate` and `…/games`, the run's summary, and
//! logged tables with a row for each opponent or pair. A rate without a number of games has no interval, unless it was
//! measured several times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::curve::MetricPoints;
use super::nullable;
use super::player_role::PlayerRole;
use rundown_diagnose::{Diagnosis, EndRate, games_in_summary, is_pool, opponent_of_rate};
use rundown_run::{ConfigValue, LoggedCell, LoggedTable, Run};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// Fewest evaluations of which the first fifth is a level.
const EVALUATIONS: usize = 5;
/// Most opponents, players and pairings that are kept of a run.
const MAX_OPPONENTS: usize = 64;
const MAX_PAIRINGS: usize = 2048;
/// Name of the player where none is logged.
const POLICY: &str = "policy";

/// A win rate at the end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WinRate {
    /// Name of the opponent.
    pub opponent: String,
    /// Role of the opponent.
    pub role: PlayerRole,
    /// Share of games won: the mean of the last fifth of its evaluations.
    #[serde(deserialize_with = "nullable::read")]
    pub share: f64,
    /// Games that it was counted from, where they are logged.
    pub games: Option<f64>,
    /// 95 % interval: Wilson's where games are counted, else from the scatter of five evaluations and more.
    #[serde(deserialize_with = "nullable::read")]
    pub interval: Option<(f64, f64)>,
    /// The same share over the first fifth of five evaluations and more.
    pub start: Option<f64>,
}

/// Ratings by Bradley and Terry from game counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BradleyTerry {
    /// The player with rating 0: the base model, else the fixed opponent with most games, else the player with most.
    pub anchor: String,
    /// Players, the strongest first.
    pub players: Vec<Player>,
    /// p of the games if one scale explains them all; small where some beat each other in a circle.
    #[serde(deserialize_with = "nullable::read")]
    pub p: f64,
}

/// A player of [`BradleyTerry`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: PlayerRole,
    /// Elo points above the anchor.
    #[serde(deserialize_with = "nullable::read")]
    pub elo: f64,
    /// Standard error.
    pub error: Option<f64>,
    /// Games played.
    #[serde(deserialize_with = "nullable::read")]
    pub games: f64,
}

/// Win rates against named opponents, from metrics, then from the summary. At most 64.
pub(super) fn win_rates(run: &Run, diagnosis: &Diagnosis) -> Vec<WinRate> {
    let mut rates: Vec<WinRate> = Vec::new();
    for binding in diagnosis.bindings.all(Concept::WinRate) {
        let (Some(opponent), Some(curve)) = (&binding.name, MetricPoints::of(run, binding)) else { continue };
        let games = diagnosis.bindings.all(Concept::Games).iter().find(|games| games.name.as_ref() == Some(opponent));
        let games = games.and_then(|games| MetricPoints::of(run, games));
        let counts = games.as_ref().map(|games| games.values.as_slice());
        let Some(end) = EndRate::logged(&curve.values, counts) else { continue };
        rates.push(WinRate::of(opponent, end, start(&curve.values)));
    }
    for (key, value) in run.summary.iter() {
        let (Some(opponent), ConfigValue::Number(share)) = (opponent_of_rate(key), value) else { continue };
        if (0.0..=1.0).contains(share)
            && rates.len() < MAX_OPPONENTS
            && rates.iter().all(|rate| rate.opponent != opponent)
        {
            let games = games_in_summary(run, key).or_else(|| games_in_tables(run, opponent));
            rates.push(WinRate::of(opponent, EndRate::counted(*share, games), None));
        }
    }
    rates.truncate(MAX_OPPONENTS);
    rates
}

/// The share over the first fifth of five evaluations and more.
fn start(values: &[f64]) -> Option<f64> {
    values.get(..values.len() / 5).filter(|_| values.len() >= EVALUATIONS).and_then(stats::mean)
}

impl WinRate {
    fn of(opponent: &str, end: EndRate, start: Option<f64>) -> Self {
        let EndRate { share, games, interval } = end;
        Self { opponent: opponent.to_owned(), role: role(opponent), share, games, interval, start }
    }
}

/// A state of the policy and a pool move; another named opponent is taken for one that stays.
fn role(opponent: &str) -> PlayerRole {
    if is_pool(opponent) {
        return PlayerRole::Moving;
    }
    match PlayerRole::of(opponent) {
        PlayerRole::Moving => PlayerRole::Fixed,
        other => other,
    }
}

fn games_in_tables(run: &Run, opponent: &str) -> Option<f64> {
    let tables = run.tables.iter().rev().filter_map(|file| file.content.as_ref());
    tables.filter_map(GameColumns::of).find_map(|columns| {
        let mut meetings = columns.meetings();
        meetings.find(|meeting| meeting.opponent == opponent && meeting.player == POLICY).map(|meeting| meeting.games)
    })
}

/// Games of two.
struct PairGames {
    player: String,
    opponent: String,
    /// Wins of the player, draws as halves.
    score: f64,
    games: f64,
}

/// Ratings from all counted games, and the number of these; `None` without two players that met.
pub(super) fn fitted(run: &Run, last: &BTreeMap<String, f64>, rates: &[WinRate]) -> Option<(BradleyTerry, f64)> {
    let mut met: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
    let mut add = |meeting: PairGames| {
        let sensible = meeting.games > 0.0 && (0.0..=meeting.games).contains(&meeting.score);
        if sensible && met.len() < MAX_PAIRINGS && meeting.player != meeting.opponent {
            met.entry((meeting.player, meeting.opponent)).or_insert((meeting.score, meeting.games));
        }
    };
    for rate in rates {
        if let Some(games) = rate.games.filter(|games| *games > 0.0) {
            let score = (rate.share * games).clamp(0.0, games);
            add(PairGames { player: POLICY.to_owned(), opponent: rate.opponent.clone(), score, games });
        }
    }
    counted(last).into_iter().for_each(&mut add);
    // Of a table that was logged several times, the last one.
    let mut seen: Vec<&str> = Vec::new();
    for file in run.tables.iter().rev() {
        let Some(columns) = file.content.as_ref().and_then(GameColumns::of) else { continue };
        if !seen.contains(&file.key.as_str()) && seen.len() < 16 {
            seen.push(&file.key);
            columns.meetings().for_each(&mut add);
        }
    }
    rated(&met)
}

fn rated(met: &BTreeMap<(String, String), (f64, f64)>) -> Option<(BradleyTerry, f64)> {
    let mut games: BTreeMap<&str, f64> = BTreeMap::new();
    for ((player, opponent), (_, played)) in met {
        *games.entry(player).or_default() += played;
        *games.entry(opponent).or_default() += played;
    }
    let mut names: Vec<(&str, f64)> = games.into_iter().collect();
    names.compact_sort_by(|a, b| b.1.total_cmp(&a.1));
    names.truncate(MAX_OPPONENTS);
    let place = |name: &str| names.iter().position(|(known, _)| *known == name);
    let pairings: Vec<stats::Pairing> = met
        .iter()
        .filter_map(|((player, opponent), (score, games))| {
            Some(stats::Pairing { a: place(player)?, b: place(opponent)?, score: *score, games: *games })
        })
        .collect();
    let first = |wanted: fn(PlayerRole) -> bool| names.iter().position(|(name, _)| wanted(PlayerRole::of(name)));
    let anchor = first(|role| role == PlayerRole::Base).or_else(|| first(PlayerRole::is_fixed)).unwrap_or(0);
    if names.len() < 2 {
        return None;
    }
    let ratings = stats::bradley_terry(names.len(), &pairings, anchor)?;
    let mut players: Vec<Player> = names
        .iter()
        .zip(&ratings.players)
        .map(|((name, _), rating)| Player {
            name: (*name).to_owned(),
            role: PlayerRole::of(name),
            elo: rating.elo,
            error: rating.error,
            games: rating.games,
        })
        .collect();
    players.compact_sort_by(|a, b| b.elo.total_cmp(&a.elo));
    let anchor = names.get(anchor).map_or_else(String::new, |(name, _)| (*name).to_owned());
    let all = pairings.iter().map(|pairing| pairing.games).sum();
    Some((BradleyTerry { anchor, players, p: ratings.p }, all))
}

/// Games counted by metrics: `…/vs_{opponent}/wins`, `/draws` and `/games`; who plays stands before, where a checkpoint
/// is named there.
fn counted(last: &BTreeMap<String, f64>) -> Vec<PairGames> {
    let mut meetings = Vec::new();
    for (key, wins) in last {
        let Some((head, "wins")) = key.rsplit_once('/') else { continue };
        let Some((before, opponent)) = head.rsplit_once("vs_") else { continue };
        if !(before.is_empty() || before.ends_with('/')) || opponent.contains('/') {
            continue;
        }
        let of = |name: &str| last.get(&format!("{head}/{name}")).copied();
        let draws = of("draws").or_else(|| of("ties")).unwrap_or(0.0);
        let Some(games) = of("games").or_else(|| of("num_games")).or_else(|| Some(wins + draws + of("losses")?)) else {
            continue;
        };
        let player =
            before.split('/').find(|part| matches!(PlayerRole::of(part), PlayerRole::Checkpoint(_))).unwrap_or(POLICY);
        let score = wins + 0.5 * draws;
        meetings.push(PairGames { player: player.to_owned(), opponent: opponent.to_owned(), score, games });
    }
    meetings
}

/// A table of games by its columns.
struct GameColumns<'a> {
    table: &'a LoggedTable,
    player: Option<usize>,
    opponent: usize,
    games: Option<usize>,
    wins: Option<usize>,
    draws: Option<usize>,
    losses: Option<usize>,
    rate: Option<usize>,
}

impl<'a> GameColumns<'a> {
    /// `None` for a table that does not count games against opponents.
    fn of(table: &'a LoggedTable) -> Option<Self> {
        let column = |names: &[&str]| {
            table.columns.iter().position(|column| names.iter().any(|n| column.eq_ignore_ascii_case(n)))
        };
        let found = Self {
            table,
            player: column(&["player", "player_a", "agent", "agent_a", "checkpoint", "a"]),
            opponent: column(&["opponent", "player_b", "agent_b", "vs", "versus", "b"])?,
            games: column(&["games", "n_games", "num_games", "games_played", "n"]),
            wins: column(&["wins", "wins_a", "won"]),
            draws: column(&["draws", "ties"]),
            losses: column(&["losses", "wins_b", "lost"]),
            rate: column(&["win_rate", "winrate"]),
        };
        let counts = found.games.is_some() || (found.wins.is_some() && found.losses.is_some());
        (counts && (found.wins.is_some() || found.rate.is_some())).then_some(found)
    }

    fn meetings(&self) -> impl Iterator<Item = PairGames> {
        self.table.rows.iter().filter_map(|row| {
            let number = |column: Option<usize>| match row.get(column?) {
                Some(LoggedCell::Number(value)) => Some(*value),
                _ => None,
            };
            let text = |column: usize| match row.get(column) {
                Some(LoggedCell::Text(name)) => Some(name.clone()),
                _ => None,
            };
            let (wins, draws) = (number(self.wins), number(self.draws).unwrap_or(0.0));
            let games = number(self.games).or_else(|| Some(wins? + draws + number(self.losses)?))?;
            let score = wins.map(|wins| wins + 0.5 * draws).or_else(|| Some(number(self.rate)? * games))?;
            let player = self.player.and_then(text).unwrap_or_else(|| POLICY.to_owned());
            Some(PairGames { player, opponent: text(self.opponent)?, score, games })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::TableFile;

    fn run(keys: &[(&str, &[f64])]) -> Run {
        let mut run = Run::default();
        for (key, values) in keys {
            for (place, value) in values.iter().enumerate() {
                let row = if run.row_steps.len() > place { place as u32 } else { run.push_row(place as f64, f64::NAN) };
                run.push_value(key, row, *value);
            }
        }
        run.choose_axis();
        run
    }

    fn rates(run: &Run) -> Vec<WinRate> {
        win_rates(run, &diagnose(run, &Rulebook::default()))
    }

    #[test]
    fn games_give_the_interval_however_they_are_counted() {
        let shares = [0.5; 10];
        let each = rates(&run(&[("eval/vs_random_bot/win_rate", &shares), ("eval/vs_random_bot/games", &[50.0; 10])]));
        let running: Vec<f64> = (1..=10).map(|evaluation| 50.0 * f64::from(evaluation)).collect();
        let total = rates(&run(&[("eval/vs_random_bot/win_rate", &shares), ("eval/vs_random_bot/games", &running)]));
        assert_eq!((each[0].games, total[0].games), (Some(100.0), Some(100.0)), "the last fifth is two evaluations");
        assert_eq!(each[0].interval, stats::wilson(50.0, 100.0, 1.96));
        let unknown = rates(&run(&[("eval/vs_random_bot/win_rate", &shares)]));
        assert_eq!((unknown[0].games, unknown[0].interval), (None, None));
        let pool = rates(&run(&[("eval/vs_league/win_rate", &shares)]));
        assert_eq!(pool[0].role, PlayerRole::Moving);
    }

    #[test]
    fn the_summary_takes_its_games_from_a_table() {
        let columns = ["opponent", "win_rate", "games"].map(str::to_owned).to_vec();
        let rows =
            vec![vec![LoggedCell::Text("chaos_bot".to_owned()), LoggedCell::Number(0.75), LoggedCell::Number(64.0)]];
        let content = Some(LoggedTable { columns, rows, dropped: 0 });
        let key = "eval/summary_table".to_owned();
        let mut run =
            Run { tables: vec![TableFile { key, row: 0, path: String::new(), rows: None, content }], ..run(&[]) };
        run.summary.insert("eval/vs_chaos_bot/win_rate", ConfigValue::Number(0.75));
        run.summary.insert("eval/vs_other_bot/win_rate", ConfigValue::Number(0.25));
        let found = rates(&run);
        assert_eq!((found[0].games, found[1].games), (Some(64.0), None));
        let mut with_metrics = run.clone();
        with_metrics.summary.insert("eval/vs_other_bot/games", ConfigValue::Number(32.0));
        assert_eq!(rates(&with_metrics)[1].games, Some(32.0), "a number beside the rate");
        let (fit, games) = fitted(&run, &BTreeMap::new(), &found).unwrap();
        assert_eq!((fit.anchor.as_str(), games), ("chaos_bot", 64.0), "counted once");
        assert_eq!((fit.players[0].name.as_str(), fit.players[0].role), (POLICY, PlayerRole::Policy));
        assert!((fit.players[0].elo - 190.0).abs() < 10.0, "{fit:?}");
    }

    #[test]
    fn wins_of_checkpoints_are_theirs() {
        let last: BTreeMap<String, f64> = [
            ("eval/adapter_v40/vs_base_model/wins", 30.0),
            ("eval/adapter_v40/vs_base_model/draws", 4.0),
            ("eval/adapter_v40/vs_base_model/games", 40.0),
            ("eval/vs_base_model/wins", 10.0),
            ("eval/vs_base_model/losses", 10.0),
            ("eval/vs_nobody/wins", 3.0),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into();
        let (fit, games) = fitted(&Run::default(), &last, &[]).unwrap();
        assert_eq!((fit.anchor.as_str(), games), ("base_model", 60.0));
        let names: Vec<&str> = fit.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["adapter_v40", POLICY, "base_model"]);
        assert!(fit.players[1].elo.abs() < 1.0);
        assert!(fitted(&Run::default(), &BTreeMap::new(), &[]).is_none());
    }
}

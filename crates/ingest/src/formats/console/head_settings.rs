//! Settings that a program prints before its first row of metrics, in whatever form: an object that Python or JSON wrote
//! (`Namespace(lr=1e-06, …)`, `config: {'lr': 1e-06, …}`), or names with values (`  KL coef: 0.04`, `"lr": 1e-06,`,
//! `lr ....... 1e-06`, `│ lr │ 1e-06 │`, `Num Epochs = 1 | Total steps = 250`).
//!
//! Anything may be printed there, so that only what names known settings counts, and at least two of them, one of which no
//! loop prints as a metric. What was printed with several values is no setting of the whole run. Only beside known settings in
//! a list, as a sweep prints before each of its runs (`rho=0.7, seed=42, G=3, adq=False`), other names are settings too.

mod listed_pairs;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::labelled::{NumberToken, bare_name};
use super::progress::leading_number;
use crate::rows::metric_words::is_metric;
use crate::setting_names::{has_word, is_no_metric, is_setting_name, setting_key};
use crate::syntax::json::{Json, flatten_into};
use crate::syntax::python;
use listed_pairs::{is_pair, unknown_pairs};
use rundown_run::Config;

/// Fewest known settings.
const MIN_SETTINGS: usize = 2;
/// Known settings with the name of a model, on its line or the next ones, that are certain.
const MIN_BESIDE_MODEL: usize = 3;
/// Lines of a heading below the name of the model, or beside a setting. Those of a list of pairs are one line there.
const HEADING_LINES: usize = 8;
/// Settings that are also symbols of mathematics, as in the answers of a model: alone they are none.
const SYMBOLS: [&str; 5] = ["beta", "epsilon", "gamma", "lam", "rank"];
/// Short names before a number that are those of settings in a heading; elsewhere they may be anything.
const SHORT_NAMES: [(&str, &str); 2] = [("group", GROUP_SIZE), ("temp", "temperature")];
/// The key under which the arguments of a model name it beside those of a trainer, as TRL's scripts print both.
const MODEL: &str = "model_name_or_path";
/// The key of the responses to each prompt.
pub(crate) const GROUP_SIZE: &str = "num_generations";
/// Longest line with settings, in bytes.
const MAX_LINE: usize = 16 << 10;
/// Longest object over several lines, in lines and in bytes.
const MAX_LINES: usize = 2_000;
const MAX_BLOCK: usize = 256 << 10;
/// Lines that are looked at: a log without rows is text to its end.
const MAX_HEAD_LINES: usize = 50_000;
/// Bytes before a sign in which a name and the value of the pair before it are looked for.
const LONGEST_NAME: usize = 256;
/// Most names kept.
const MAX_NAMES: usize = 1_000;
/// Words behind a number that only say what it counts.
const UNITS: [&str; 8] = ["tokens", "steps", "prompts", "samples", "epochs", "responses", "completions", "rollouts"];

/// The settings at the beginning of a log.
#[derive(Debug, Clone, Default)]
pub(super) struct HeadSettings {
    /// Objects of settings, the later over the earlier.
    objects: BTreeMap<String, Json>,
    /// The last of them with the name of the model.
    of_model: Json,
    single: BTreeMap<String, SingleSetting>,
    /// The place of the next line: lines of nothing but a name and a value are a list, which is one place.
    place: usize,
    /// Those that were printed with several values.
    changing: BTreeSet<String>,
    /// The line that named the model, as no row of metrics does, and the settings since then in this heading.
    model_line: usize,
    beside_model: usize,
    /// So many stood beside it that they are certain.
    has_model_heading: bool,
    /// An object that goes on in the next line.
    block: Option<Block>,
    lines: usize,
}

/// The first value of a single setting, and the places where it was printed first and last with it.
#[derive(Debug, Clone)]
struct SingleSetting {
    value: Json,
    first: usize,
    last: usize,
}

/// The lines of an object so far.
#[derive(Debug, Clone)]
struct Block {
    text: String,
    lines: usize,
    /// Brackets that are open.
    depth: usize,
}

impl HeadSettings {
    /// Adds a line that is no row.
    pub(super) fn add(&mut self, text: &str) {
        self.lines += 1;
        self.place += usize::from(!is_pair(text));
        if text.len() > MAX_LINE || self.lines > MAX_HEAD_LINES {
            return;
        }
        let Some(block) = &mut self.block else { return self.first_line(text) };
        block.lines += 1;
        block.depth = python::depth_after(block.depth, text);
        block.text.push('\n');
        block.text.push_str(text);
        if block.depth == 0 || block.lines > MAX_LINES || block.text.len() > MAX_BLOCK {
            self.end_block();
        }
    }

    /// Adds an object over several lines that was put together elsewhere.
    pub(super) fn add_object(&mut self, text: &str) {
        if let Some(Ok(object)) = object_at(text) {
            self.add_config_object(object);
        }
    }

    /// Lines that were added.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// True where settings were printed that are a config by themselves.
    pub(super) fn has_config(&self) -> bool {
        let single = || self.single.iter().map(|(key, setting)| (key.clone(), setting.value.clone())).collect();
        !self.objects.is_empty() || self.has_model_heading || is_config(&Json::Object(single()))
    }

    /// Adds the settings to those that are known for certain. Where these are a config, what else was printed repeats a part of
    /// it under other names, or is that of a library, but for the arguments of the model, which a trainer's own do not name. For the
    /// same reason single settings are left out beside objects of them.
    pub(super) fn add_to(mut self, known: &mut Json) {
        self.end_block();
        if is_config(known) {
            if known.get(MODEL).is_none() {
                add_missing(known, self.of_model);
            }
            return;
        }
        let is_symbol = |key: &str| SYMBOLS.contains(&key);
        let others = self.single.iter().filter(|(key, _)| !is_symbol(key));
        let others: Vec<usize> = others.flat_map(|(_, setting)| [setting.first, setting.last]).collect();
        let is_near = |place: usize| others.iter().any(|other| place.abs_diff(*other) <= HEADING_LINES);
        self.single.retain(|key, setting| {
            !self.changing.contains(key) && (!is_symbol(key) || is_near(setting.first) || is_near(setting.last))
        });
        let is_single = self.objects.is_empty();
        let single = self.single.into_iter().map(|(key, setting)| (key, setting.value));
        let found = Json::Object(if is_single { single.collect() } else { self.objects });
        let is_certain = is_single && self.has_model_heading;
        if is_certain || is_config(&found) {
            add_missing(known, found);
        }
    }

    fn first_line(&mut self, text: &str) {
        match object_at(text) {
            Some(Err(depth)) => self.block = Some(Block { text: text.to_owned(), lines: 1, depth }),
            Some(Ok(object)) => _ = self.add_config_object(object) || self.singles(text),
            None => _ = self.singles(text),
        }
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let is_taken = object_at(&block.text).and_then(Result::ok).is_some_and(|object| self.add_config_object(object));
        if !is_taken {
            block.text.lines().for_each(|line| _ = self.singles(line));
        }
    }

    /// Adds an object of settings. True also for a row of metrics, of which nothing is added; false for any other object.
    fn add_config_object(&mut self, object: Json) -> bool {
        if is_row(&object) {
            return true;
        }
        let is_config = is_config(&object);
        if is_config && object.get(MODEL).is_some() {
            self.of_model = object.clone();
        }
        if let (true, Json::Object(object)) = (is_config, object) {
            self.objects.extend(object);
        }
        is_config
    }

    /// Adds the single settings on a line; false where it has none.
    fn singles(&mut self, text: &str) -> bool {
        if is_unused_argument(text) {
            return false;
        }
        let mut found = pairs(text);
        found.extend(changed_group(text).map(|size| (GROUP_SIZE.to_owned(), Json::Number(size))));
        let has_any = !found.is_empty();
        let is_model = |(key, value): &(String, Json)| has_word(key) && matches!(value, Json::Text(_));
        if found.iter().any(is_model) {
            (self.model_line, self.beside_model) = (self.lines, 0);
        }
        if self.model_line > 0 && self.lines <= self.model_line + HEADING_LINES {
            self.beside_model += found.len();
            self.has_model_heading |= self.beside_model >= MIN_BESIDE_MODEL;
        }
        let listed = if found.len() >= MIN_SETTINGS { unknown_pairs(text, found.len()) } else { Vec::new() };
        for (key, value) in found.into_iter().chain(listed) {
            let has_room = self.single.len() < MAX_NAMES;
            match self.single.get_mut(&key) {
                Some(known) if known.value == value => known.last = self.place,
                Some(_) => _ = self.changing.insert(key),
                None if has_room => {
                    self.single.insert(key, SingleSetting { value, first: self.place, last: self.place });
                }
                None => {}
            }
        }
        has_any
    }
}

/// Adds the settings whose keys are not known yet.
fn add_missing(known: &mut Json, found: Json) {
    let Json::Object(found) = found else { return };
    for (key, value) in found {
        if known.get(&key).is_none() {
            known.set(&[key], value);
        }
    }
}

/// The responses to each prompt by the last sentence of Unsloth on them: ``We will change the batch size of 1 to the
/// `num_generations` of 6``.
pub(crate) fn changed_group(text: &str) -> Option<f64> {
    let (_, change) = text.rsplit_once("We will change the batch size of ")?;
    let (_, size) = change.lines().next()?.split_once(" to the `num_generations` of ")?;
    leading_number(size).map(|(size, _)| size as f64)
}

/// True for an argument of a call that is commented out, as in a script that was pasted: `# loss_type = "dr_grpo",`. Banners
/// begin their lines with `#` as well, but end none with a comma.
fn is_unused_argument(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('#') && text.ends_with(',') && text.matches('=').count() == 1
}

/// The object on a line, perhaps behind a label: `config: {…}`, `Namespace(…)`. An error where it goes on below, with the
/// brackets that are open; `None` where no object begins on the line.
fn object_at(text: &str) -> Option<Result<Json, usize>> {
    let open = text.find(['{', '('])?;
    let (before, rest) = text.split_at_checked(open)?;
    let class =
        before.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.').next()?;
    let is_class = class.rsplit('.').next().is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    let start = match rest.starts_with('{') {
        true => open,
        false if is_class => open - class.len(),
        false => return None,
    };
    let object = text.get(start..)?;
    match python::parse_prefix(object) {
        Ok((json @ Json::Object(_), _)) => Some(Ok(json)),
        Ok(_) => None,
        Err(at) => {
            let depth = python::depth_after(0, object);
            (depth > 0 && at >= object.trim_end().len()).then_some(Err(depth))
        }
    }
}

/// True for an object of metrics, which may name a setting beside them.
fn is_row(object: &Json) -> bool {
    ["loss", "reward", "step"].iter().any(|key| object.get(key).is_some())
}

/// True for an object that names settings.
fn is_config(object: &Json) -> bool {
    let mut flat = Config::default();
    flatten_into(&mut flat, "", object.clone());
    let names: Vec<&str> = flat.iter().map(|(key, _)| last_part(key)).filter(|name| is_setting_name(name)).collect();
    names.len() >= MIN_SETTINGS && names.iter().any(|name| is_no_metric(name))
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The known settings on a line with their values, in order.
fn pairs(text: &str) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((start, end)) = next_sign(text, from) {
        from = end;
        let (Some(before), Some(after)) = (text.get(..start).map(end_of), text.get(end..)) else { break };
        let label = label(before);
        let Some(key) = key_of(label).or_else(|| key_of(without_value(before, label)?)) else { continue };
        // The rank of a process is no setting.
        let is_process = |value: &Json| key == "rank" && *value == Json::Number(0.0);
        if let Some(value) = value(after, last_part(&key)).filter(|value| !is_process(value)) {
            found.push((key.into_owned(), value));
        }
    }
    found
}

/// The key of the setting that a label names in a heading.
fn key_of(label: &str) -> Option<Cow<'_, str>> {
    let short = SHORT_NAMES.iter().find(|(name, _)| label.eq_ignore_ascii_case(name));
    short.map(|(_, key)| Cow::Borrowed(*key)).or_else(|| setting_key(label))
}

/// Where the next sign between a name and its value begins and ends: `:`, `=`, `|`, `│` or a row of dots.
fn next_sign(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    let (place, sign) = rest.char_indices().find(|(place, sign)| match sign {
        ':' | '=' | '|' | '│' => true,
        '.' => rest.get(*place..).is_some_and(|dots| dots.starts_with("...")),
        _ => false,
    })?;
    let behind = rest.get(place..)?;
    let length = if sign == '.' { behind.len() - behind.trim_start_matches('.').len() } else { sign.len_utf8() };
    Some((from + place, from + place + length))
}

/// The end of the text before a sign, in which the name stands.
fn end_of(before: &str) -> &str {
    before.get(before.ceil_char_boundary(before.len().saturating_sub(LONGEST_NAME))..).unwrap_or(before)
}

/// The words before a sign that may be a name: what stands behind the last sign that separates pairs, without another name of the
/// same in brackets, as in `Learning rate (lr)`, or what a symbol is of, as in `Beta (KL penalty)`. `Temperature (reward)` is that of
/// a part.
fn label(before: &str) -> &str {
    let text = before.trim_end().rsplit('│').next().unwrap_or_default();
    let remark = text.trim_end_matches(['*', '`']).strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let is_symbol = |name: &str| SYMBOLS.iter().any(|symbol| bare_name(name).eq_ignore_ascii_case(symbol));
    let is_same = |(name, other): &(&str, &str)| {
        setting_key(other).is_some_and(|key| !has_word(&key)) || (is_symbol(name.trim_end()) && is_metric(other))
    };
    let named = remark.filter(is_same).map(|(name, _)| name.trim_end());
    bare_name(named.unwrap_or(text)).trim_matches('`')
}

/// A label at the end of a text without the value of the pair before it; `None` where it does not begin with one.
fn without_value<'l>(text: &str, label: &'l str) -> Option<&'l str> {
    let (first, rest) = label.split_once(' ')?;
    let is_value = || text.trim_end().strip_suffix(label).is_some_and(|text| text.ends_with(['=', ':']));
    (python::number(first).is_some() || (is_name(first) && is_value())).then(|| rest.trim_start())
}

/// The literal value that a text begins with, where nothing stands behind it that makes it something else.
fn value(text: &str, name: &str) -> Option<Json> {
    let text = text.trim_start_matches(['*', '`']).trim_start().trim_end_matches(['*', '`']);
    if text.starts_with(['\'', '"']) {
        let (json, length) = python::parse_prefix(text).ok()?;
        return is_end(text.get(length..)?).then_some(json);
    }
    let length = text.find(|sign: char| sign.is_whitespace() || ",;|│(){}[]\"'".contains(sign)).unwrap_or(text.len());
    let (word, behind) = text.split_at_checked(length)?;
    if matches!(word, "true" | "false" | "True" | "False") {
        return is_end(behind).then_some(Json::Bool(word.eq_ignore_ascii_case("true")));
    }
    match NumberToken::of(text) {
        Some(number) if number.total.is_some() || !number.value.is_finite() => None,
        Some(number) => is_end(text.get(number.length..)?).then_some(Json::Number(number.value)),
        // A name with a bracket directly behind it is a call: `model = AutoModel.from_pretrained(…)`.
        None if has_word(name) && is_name(word) && !behind.starts_with('(') => {
            is_end(behind).then(|| Json::Text(word.to_owned()))
        }
        None => None,
    }
}

/// True where a value may end: at the end of the line, at a sign that separates pairs, at a remark, or at a unit.
fn is_end(behind: &str) -> bool {
    let rest = behind.trim_start();
    rest.is_empty()
        || rest.starts_with([',', ';', '|', '│', '(', ')', ']', '}', '#'])
        || rest.starts_with("//")
        || (rest.len() < behind.len() && UNITS.contains(&rest.split([' ', ',', ';', '|', '(']).next().unwrap_or("")))
        // Several pairs on a line with nothing but blanks between.
        || (behind.starts_with(' ') && rest.split(' ').next().is_some_and(|word| word.contains('=')))
}

/// True for a word that may be the name of a model, of data or of a method.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '/')
        && word.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-./:@".contains(sign))
}

#[cfg(test)]
mod tests;

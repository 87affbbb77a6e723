//! The page on settings (docs/settings.md) lists the thresholds that the rulebook has.

use std::fmt::Write as _;

use rundown_diagnose::Rulebook;
use rundown_settings::Settings;

use crate::golden::same_as_page;

const HEAD: &str = "# What you can set

One text says what metrics stand for, what the checks compare with, and what a GPU costs. On the page it is the Settings
view: write it, apply it to all runs, save it, load it. In a terminal: `diagnose --settings rundown.toml …`; `--bind`,
`--price` and `--gpus` behind it come on top. The page keeps it as long as it is open, and nowhere else.

It is TOML, or JSON of the same shape. What is not set keeps its default.

";

const EXAMPLE: &str = r#"# Money for one GPU for one hour, in any currency; GPUs where the config does not say how many.
price_per_gpu_hour = 2.5
gpus = 8

# What a metric stands for: a name from docs/metrics.md, its unit and which way is better (up, down) behind colons where
# they are others, or "none".
[metrics]
my_score = "evaluation"
my_cost = "reward:down"
"actor/kl" = "kl_to_reference:nats_per_sequence"
odd_metric = "none"

# Thresholds: a number, or a number with its source, which reports then cite.
[rulebook]
name = "ours"
version = 2
kl_warning = 0.8
kl_critical = { value = 3, unit = "nats/token", source = "our runs of May" }
"#;

const THRESHOLDS: &str = "
A text with something that can't be used is refused as a whole, with what is wrong and in which line: nothing is set in
part. A report names the rulebook that it was made with; one with changed numbers and no name of its own is called
`edited`.

## Thresholds

This table is made from `crates/diagnose/src/rulebook.rs` by `tests/docs/settings.rs`.

| name | value | unit | where it comes from |
|---|---|---|---|
";

#[test]
fn the_page_on_settings_says_what_the_rulebook_says() {
    let mut page = format!("{HEAD}```toml\n{EXAMPLE}```\n{THRESHOLDS}");
    for (name, threshold) in Rulebook::default().thresholds() {
        writeln!(page, "| `{name}` | {} | {} | {} |", threshold.value, threshold.unit, threshold.source).unwrap();
    }
    same_as_page("docs/settings.md", &page);
}

#[test]
fn its_example_can_be_used() {
    let settings = Settings::parse(EXAMPLE).unwrap();
    assert_eq!((settings.rulebook.title().as_str(), settings.options.choices.iter().count()), ("ours 2", 4));
}

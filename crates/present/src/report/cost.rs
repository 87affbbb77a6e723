//! What a run cost, and what of it came after a finding that made the rest useless.

use rundown_content::Block;
use rundown_diagnose::{Cost, Diagnosis, Spent};
use rundown_format::{duration, hundredths, large_count, number};

/// In hours.
const SECOND_HOURS: f64 = 1.0 / 3600.0;

pub(super) fn cost(diagnosis: &Diagnosis) -> Vec<Block> {
    let cost = &diagnosis.cost;
    if cost.total.steps <= 0.0 {
        return Vec::new();
    }
    let total = match (cost.total.hours, cost.total.gpu_hours) {
        (None, _) => {
            format!("{}. No timestamps were found for its rows: hours and cost are unknown.", amount(&cost.total))
        }
        (Some(_), None) if cost.per_gpu_hour.is_some() => {
            format!("{}. The number of GPUs is unknown, and so is the money.", amount(&cost.total))
        }
        (Some(_), _) => format!("{}.", amount(&cost.total)),
    };
    let by = match cost.hours_from.as_str() {
        "" => String::new(),
        from => format!(" Time is measured by {from}."),
    };
    let mut items = vec![format!("The run took {total}{by}")];
    if let Some(gpus) = cost.gpus {
        let price = cost.per_gpu_hour.map_or_else(String::new, |price| format!(", at {} per GPU-hour", number(price)));
        items.push(format!("GPUs: {} ({}){price}.", number(gpus), cost.gpus_from));
    }
    if cost.idle_hours >= SECOND_HOURS {
        items.push(format!("Not counted: {} in gaps and between restarts.", duration(3_600.0 * cost.idle_hours)));
    }
    if let Some(useless) = &cost.useless {
        items.push(format!("Without gain: {}{}.", amount(useless), causes(cost)));
    }
    vec![Block::section("Cost"), Block::List(items.into_iter().map(|item| vec![item.into()]).collect())]
}

/// After which findings.
fn causes(cost: &Cost) -> String {
    let named: Vec<String> =
        cost.findings.iter().map(|part| format!("{} from step {}", part.code.phrase(), number(part.from))).collect();
    format!(" ({})", named.join(", "))
}

fn amount(spent: &Spent) -> String {
    let parts = [
        Some(format!("{} step{}", number(spent.steps), if spent.steps == 1.0 { "" } else { "s" })),
        spent.hours.map(|hours| duration(3_600.0 * hours)),
        spent.tokens.map(|tokens| format!("{} tokens", large_count(tokens))),
        spent.gpu_hours.map(|hours| format!("{} GPU-hours", number(hundredths(hours)))),
        spent.money.map(|money| format!("a cost of {}", number(hundredths(money)))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

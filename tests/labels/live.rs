//! Live use: what a run that is watched while it goes on would be told, and whether it stays said.

use rundown_diagnose::{Rulebook, diagnose, watch};

use super::labels::{labels, read_run};
use super::support::labelled;

/// Steps at which each run is looked at.
const PROBES: usize = 10;

/// An alarm that comes and goes teaches people not to look. Healthy runs are in the list too.
#[test]
fn alarms_of_labelled_runs_stay() {
    let mut flapped = Vec::new();
    let mut unsure = Vec::new();
    let mut raised = 0;
    for name in ["tiny-grpo", "systems"] {
        let folder = labelled(name);
        for run_name in labels(&folder).keys().filter(|run_name| folder.join(run_name).is_dir()) {
            let run = read_run(&folder.join(run_name));
            let watched = watch(&run, &|run| diagnose(run, &Rulebook::default()), PROBES);
            let mut codes: Vec<_> = watched.probes.iter().flat_map(|probe| &probe.alarms).collect();
            codes.sort_unstable();
            codes.dedup();
            raised += codes.len();
            for flap in watched.flaps() {
                let (code, raised, gone) = (flap.code.as_str(), flap.raised, flap.gone);
                let said = format!("{run_name}: {code} raised at {raised:.0}, gone at {gone:.0}");
                if flap.back { unsure.push(said) } else { flapped.push(said) }
            }
        }
    }
    eprintln!("{raised} alarms, taken back: {flapped:#?}, taken back and raised again: {unsure:#?}");
    assert!(unsure.is_empty(), "what the whole run has was taken back on the way: {unsure:#?}");
    assert!(10 * flapped.len() <= raised, "more than a tenth of the alarms is taken back: {flapped:#?}");
}

//! docs/hosting.md explains the policy that the page has, directive by directive.

use std::path::Path;

#[test]
fn each_directive_of_the_policy_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let html = std::fs::read_to_string(root.join("index.html")).unwrap();
    let page = std::fs::read_to_string(root.join("docs/hosting.md")).unwrap();
    let (_, rest) = html.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = rest.split_once('"').unwrap();
    let directives: Vec<&str> = policy.split(';').map(|part| part.trim().trim_end_matches(" INLINE-SCRIPTS")).collect();
    assert!(directives.len() > 8, "{directives:?}");
    let explained: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    for directive in &directives {
        assert!(explained.contains(directive), "docs/hosting.md does not explain {directive}");
    }
    let stale: Vec<&&str> = explained.iter().filter(|row| row.contains("-src") && !directives.contains(row)).collect();
    assert!(stale.is_empty(), "docs/hosting.md explains what the policy has not: {stale:?}");
}

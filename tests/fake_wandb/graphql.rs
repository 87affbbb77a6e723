//! The fields above a run: viewer, projects, lists of runs.

use serde_json::{Value, json};

use super::filter::passes;
use super::query::{Arguments, Node, Object};
use super::run_fields::RunObject;
use super::{State, StoredRun};

/// The root of all queries, as one user sees it.
pub struct Root<'s> {
    pub state: &'s State,
    /// The right key came along.
    pub is_known: bool,
}

impl Object for Root<'_> {
    fn type_name(&self) -> &'static str {
        "Query"
    }

    fn field(&self, name: &str, arguments: &Arguments) -> Option<Node<'_>> {
        let state = self.state;
        let may_read = self.is_known || !state.switches().private;
        Some(match name {
            "viewer" if !self.is_known => Node::Scalar(Value::Null),
            "viewer" => {
                let teams = vec![Node::Parts("Entity", vec![("name", scalar("a-team"))])];
                Node::Parts(
                    "User",
                    vec![
                        ("id", scalar("VXNlcjox")),
                        ("entity", scalar(&state.entity)),
                        ("username", scalar("tester")),
                        ("name", scalar("tester")),
                        ("email", scalar("tester@example.com")),
                        ("flags", scalar("{}")),
                        ("admin", Node::Scalar(json!(false))),
                        ("teams", connection(teams, None)),
                    ],
                )
            }
            "serverInfo" => Node::Parts(
                "ServerInfo",
                vec![
                    ("features", Node::List(Vec::new())),
                    ("cliVersionInfo", Node::Scalar(json!({ "max_cli_version": "0.99.0" }))),
                    ("latestLocalVersionInfo", Node::Scalar(Value::Null)),
                ],
            ),
            "project" => {
                let is_it = argument(arguments, "name") == state.project
                    && (argument(arguments, "entityName") == state.entity || !arguments.contains_key("entityName"));
                if is_it && may_read { Node::Object(Box::new(Project { state })) } else { Node::Scalar(Value::Null) }
            }
            "projects" | "models" if argument(arguments, "entityName") == state.entity && may_read => {
                connection(vec![Node::Object(Box::new(Project { state }))], None)
            }
            "projects" | "models" => Node::Scalar(Value::Null),
            _ => return None,
        })
    }
}

pub struct Project<'s> {
    pub state: &'s State,
}

impl Object for Project<'_> {
    fn type_name(&self) -> &'static str {
        "Project"
    }

    fn field(&self, name: &str, arguments: &Arguments) -> Option<Node<'_>> {
        let state = self.state;
        Some(match name {
            "id" | "internalId" => scalar("UHJvamVjdDox"),
            "name" => scalar(&state.project),
            "entityName" => scalar(&state.entity),
            "entity" => Node::Parts("Entity", vec![("name", scalar(&state.entity))]),
            "description" => scalar("real runs"),
            "createdAt" | "updatedAt" | "lastActive" => scalar("2026-11-21T00:00:00Z"),
            "access" => scalar("USER_READ"),
            "readOnly" => Node::Scalar(json!(false)),
            "isBenchmark" => Node::Scalar(json!(false)),
            "totalRuns" => Node::Scalar(json!(state.runs.len())),
            "runCount" => Node::Scalar(json!(chosen(state, arguments).len())),
            "run" => match state.runs.iter().find(|run| run.id == argument(arguments, "name")) {
                Some(run) => Node::Object(Box::new(RunObject { state, run })),
                None => Node::Scalar(Value::Null),
            },
            "runs" => {
                let runs = chosen(state, arguments);
                let first = arguments.get("first").and_then(Value::as_u64).unwrap_or(50) as usize;
                let start = argument(arguments, "after").parse().unwrap_or(0);
                let page: Vec<&StoredRun> = runs.iter().skip(start).take(first).copied().collect();
                let end = start + page.len();
                let nodes =
                    page.into_iter().map(|run| Node::Object(Box::new(RunObject { state, run }) as Box<dyn Object>));
                connection(nodes.collect(), Some((start, end < runs.len())))
            }
            _ => return None,
        })
    }
}

/// The runs that `filters` and `order` name.
fn chosen<'s>(state: &'s State, arguments: &Arguments) -> Vec<&'s StoredRun> {
    let filters: Value = serde_json::from_str(argument(arguments, "filters")).unwrap_or(json!({}));
    let mut runs: Vec<&StoredRun> = state.runs.iter().filter(|run| passes(run, &filters)).collect();
    let order = argument(arguments, "order");
    if let Some(metric) = order.get(1..).and_then(|order| order.strip_prefix("summary_metrics.")) {
        runs.sort_by(|left, right| {
            let of = |run: &StoredRun| run.summary.get(metric).and_then(Value::as_f64).unwrap_or(f64::NAN);
            of(left).total_cmp(&of(right))
        });
    }
    if order.starts_with('-') {
        runs.reverse();
    }
    runs
}

pub fn argument<'a>(arguments: &'a Arguments, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub fn scalar<'a>(text: &str) -> Node<'a> {
    Node::Scalar(json!(text))
}

/// Edges with nodes and cursors. `page` says where it begins and whether there is more.
pub fn connection<'a>(nodes: Vec<Node<'a>>, page: Option<(usize, bool)>) -> Node<'a> {
    let (start, has_next) = page.unwrap_or((0, false));
    let (count, mut edges) = (nodes.len(), Vec::new());
    for (index, node) in nodes.into_iter().enumerate() {
        let cursor = scalar(&(start + index + 1).to_string());
        edges.push(Node::Parts("Edge", vec![("node", node), ("cursor", cursor)]));
    }
    let end = Node::Scalar(if count > 0 { json!((start + count).to_string()) } else { Value::Null });
    let page_info = vec![("endCursor", end), ("hasNextPage", Node::Scalar(json!(has_next)))];
    Node::Parts(
        "Connection",
        vec![
            ("edges", Node::List(edges)),
            ("pageInfo", Node::Parts("PageInfo", page_info)),
            ("totalCount", Node::Scalar(json!(count))),
        ],
    )
}

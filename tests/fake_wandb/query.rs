//! Answers a parsed query field by field.

use std::collections::BTreeMap;

use graphql_parser::query::{self as ast, Definition, OperationDefinition, Selection, SelectionSet};
use serde_json::{Map, Value, json};

/// Arguments of a field, variables put in.
pub type Arguments = BTreeMap<String, Value>;

/// Something that has fields.
pub trait Object {
    /// Name of its type, for errors.
    fn type_name(&self) -> &'static str;

    /// The value of a field, or `None` when there is no such field.
    fn field(&self, name: &str, arguments: &Arguments) -> Option<Node<'_>>;
}

/// The value of a field.
pub enum Node<'a> {
    /// An object with fields.
    Object(Box<dyn Object + 'a>),
    /// A list.
    List(Vec<Node<'a>>),
    /// Named parts, such as edges and pageInfo.
    Parts(&'static str, Vec<(&'static str, Node<'a>)>),
    /// A scalar, JSON scalars included.
    Scalar(Value),
}

/// `{"data": …}` or `{"errors": …}`.
pub fn answer(root: &dyn Object, body: &Value) -> Value {
    match run(root, body) {
        Ok(data) => json!({ "data": data }),
        Err(message) => json!({ "errors": [{ "message": message, "path": [] }], "data": null }),
    }
}

struct Context<'q> {
    fragments: BTreeMap<String, SelectionSet<'q, String>>,
    variables: BTreeMap<String, Value>,
}

fn run(root: &dyn Object, body: &Value) -> Result<Value, String> {
    let text = body["query"].as_str().ok_or("no query")?.to_owned();
    let document = ast::parse_query::<String>(&text).map_err(|error| error.to_string())?.into_static();
    let mut context = Context { fragments: BTreeMap::new(), variables: BTreeMap::new() };
    let mut operation = None;
    for definition in document.definitions {
        match definition {
            Definition::Fragment(fragment) => _ = context.fragments.insert(fragment.name, fragment.selection_set),
            Definition::Operation(OperationDefinition::Query(query)) => {
                for variable in &query.variable_definitions {
                    let given = body["variables"].get(&variable.name).cloned().filter(|value| !value.is_null());
                    let default = variable.default_value.as_ref().map(|value| constant(value, &context));
                    let is_required = matches!(variable.var_type, ast::Type::NonNullType(_));
                    match given.or(default) {
                        Some(value) => _ = context.variables.insert(variable.name.clone(), value),
                        None if is_required => return Err(format!("Variable \"${}\" is required.", variable.name)),
                        None => {}
                    }
                }
                operation = Some(query.selection_set);
            }
            Definition::Operation(OperationDefinition::SelectionSet(set)) => operation = Some(set),
            Definition::Operation(_) => return Err("only queries are answered".to_owned()),
        }
    }
    select(root, &operation.ok_or("no operation")?, &context)
}

fn select(object: &dyn Object, set: &SelectionSet<'_, String>, context: &Context<'_>) -> Result<Value, String> {
    let mut found = Map::new();
    let lookup = |name: &str, arguments: &Arguments| object.field(name, arguments);
    select_into(&mut found, object.type_name(), &lookup, set, context)?;
    Ok(Value::Object(found))
}

fn select_into<'a>(
    found: &mut Map<String, Value>,
    type_name: &str,
    lookup: &dyn Fn(&str, &Arguments) -> Option<Node<'a>>,
    set: &SelectionSet<'_, String>,
    context: &Context<'_>,
) -> Result<(), String> {
    for selection in &set.items {
        match selection {
            Selection::Field(field) if field.name == "__typename" => {
                found.insert("__typename".to_owned(), json!(type_name));
            }
            Selection::Field(field) => {
                let arguments: Arguments =
                    field.arguments.iter().map(|(name, value)| (name.clone(), constant(value, context))).collect();
                let node = lookup(&field.name, &arguments)
                    .ok_or_else(|| format!("Cannot query field \"{}\" on type \"{type_name}\".", field.name))?;
                let value = resolve(node, &field.selection_set, context)?;
                found.insert(field.alias.clone().unwrap_or_else(|| field.name.clone()), value);
            }
            Selection::FragmentSpread(spread) => {
                let fragment = context.fragments.get(&spread.fragment_name).ok_or("unknown fragment")?;
                select_into(found, type_name, lookup, fragment, context)?;
            }
            Selection::InlineFragment(inline) => {
                select_into(found, type_name, lookup, &inline.selection_set, context)?;
            }
        }
    }
    Ok(())
}

fn resolve(node: Node<'_>, set: &SelectionSet<'_, String>, context: &Context<'_>) -> Result<Value, String> {
    match node {
        Node::Scalar(value) => Ok(value),
        Node::Object(object) => select(&*object, set, context),
        Node::List(list) => list.into_iter().map(|node| resolve(node, set, context)).collect(),
        Node::Parts(type_name, parts) => {
            let parts: BTreeMap<&str, std::cell::RefCell<Option<Node<'_>>>> =
                parts.into_iter().map(|(name, node)| (name, std::cell::RefCell::new(Some(node)))).collect();
            let lookup = |name: &str, _: &Arguments| parts.get(name)?.borrow_mut().take();
            let mut found = Map::new();
            select_into(&mut found, type_name, &lookup, set, context)?;
            Ok(Value::Object(found))
        }
    }
}

fn constant(value: &ast::Value<'_, String>, context: &Context<'_>) -> Value {
    match value {
        ast::Value::Variable(name) => context.variables.get(name).cloned().unwrap_or(Value::Null),
        ast::Value::Int(number) => json!(number.as_i64()),
        ast::Value::Float(number) => json!(number),
        ast::Value::String(text) | ast::Value::Enum(text) => json!(text),
        ast::Value::Boolean(flag) => json!(flag),
        ast::Value::Null => Value::Null,
        ast::Value::List(list) => Value::Array(list.iter().map(|value| constant(value, context)).collect()),
        ast::Value::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.clone(), constant(value, context))).collect())
        }
    }
}

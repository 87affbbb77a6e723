//! Words around the names of people and machines.

/// What stands before the name of a user in a path.
pub(super) const HOMES: [&str; 6] =
    ["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\", "/users/", "Documents and Settings\\"];
/// Accounts that name nobody, and the words of the marks.
pub(super) const NOBODY: [&str; 25] = [
    "address", "admin", "anonymous", "assistant", "default", "email", "false", "host", "human", "jovyan", "localhost",
    "nobody", "none", "null", "public", "root", "runner", "runs", "shared", "system", "true", "ubuntu", "unknown",
    "user", "users",
];
/// Last words of settings that hold the name of a user, and of a machine.
pub(super) const USER_WORDS: [&str; 8] = ["user", "username", "logname", "owner", "author", "entity", "login", "email"];
pub(super) const HOST_WORDS: [&str; 8] =
    ["host", "hostname", "nodename", "nodelist", "addr", "node", "machine", "fqdn"];
/// Ends of names in private networks and of rented machines.
pub(super) const PRIVATE: [&str; 9] = [
    ".internal", ".local", ".lan", ".corp", ".intranet", ".private", ".home.arpa", ".compute.amazonaws.com", ".cluster",
];
/// Hosts that everybody uses.
pub(super) const PUBLIC: [&str; 10] = [
    "amazonaws.com", "axiom.co", "github.com", "googleapis.com", "huggingface.co", "openai.com", "anthropic.com",
    "pypi.org", "pytorch.org", "wandb.ai",
];

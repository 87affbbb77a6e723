//! The key of a server that the tab keeps because the user asked for it: for that server alone, until the tab ends.

use super::server_address::server_of;
use super::storage::of_tab;
use rundown_protocol::{QueryField, ServerQuery};

/// Where the tab keeps the key, below a line with the server that it is for.
const STORED_AS: &str = "rundown-key";

/// The key that the tab keeps for the server of a query. One that is kept for another server is not offered to this one.
pub fn kept_key(query: &ServerQuery) -> Option<String> {
    let stored = of_tab()?.get_item(STORED_AS).ok()??;
    let (server, key) = stored.split_once('\n')?;
    (server == server_of(query)).then(|| key.to_owned())
}

/// Gives a query the key that the tab keeps for its server, else none.
pub fn use_kept_key(query: &mut ServerQuery) {
    let key = kept_key(query).unwrap_or_default();
    query.write(QueryField::Key, key);
}

/// Keeps the key of a query. Without one there, what is kept stays.
pub fn keep_key(query: &ServerQuery) {
    let key = query.field(QueryField::Key);
    let Some(storage) = of_tab().filter(|_| !key.is_empty()) else { return };
    // A full or forbidden storage keeps nothing, which is the safe side.
    let _ = storage.set_item(STORED_AS, &format!("{}\n{key}", server_of(query)));
}

/// Forgets the key that is kept.
pub fn forget_key() {
    if let Some(storage) = of_tab() {
        let _ = storage.remove_item(STORED_AS);
    }
}

//! Relations of a transaction's accounts: what a check that is missing would let through, though no other code runs.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::oracle::{Before, held};
use crate::sequence::{Call, Keys};

/// Accounts behind this place, as in a heartbeat of many listings, count as one.
const LAST: usize = 24;

/// For each account that signs, and for each owner of a token account: which of the other accounts name them.
pub fn of(calls: &[Call], before: &Before, keys: &Keys) -> Vec<u64> {
    calls.iter().flat_map(|call| of_call(call, before, keys)).collect()
}

fn of_call<'a>(call: &'a Call, before: &'a Before, keys: &'a Keys) -> impl Iterator<Item = u64> + 'a {
    call.accounts.iter().enumerate().filter_map(move |(place, meta)| {
        let key = keys.at(meta.key());
        let owner = before.account(&key).and_then(held).map(|(owner, _)| owner);
        let person = if meta.signs() { Some(key) } else { owner }?;
        let mut named: u32 = 0;
        for (other, meta) in call.accounts.iter().enumerate() {
            let it = keys.at(meta.key());
            let is_named = it == person && other != place
                || before.account(&it).is_some_and(|held| holds(&held.data, person.as_array()));
            named |= u32::from(is_named) << other.min(LAST);
        }
        let mut hasher = DefaultHasher::new();
        (call.discriminator(), place.min(LAST), meta.signs(), named).hash(&mut hasher);
        Some(hasher.finish())
    })
}

/// True if data has these bytes somewhere; every field of the program's accounts is 8-aligned.
fn holds(data: &[u8], bytes: &[u8; 32]) -> bool {
    data.windows(bytes.len()).step_by(8).any(|window| window == bytes)
}

//! Sequences: steps on a ledger, as files keep them and as the fuzzer changes them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use solana_address::Address;

/// Bytes at the start of an instruction or account that say of which kind it is.
pub const DISCRIMINATOR: usize = 8;

/// One account of a call, by its place among the keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta(pub usize, pub bool, pub bool);

impl Meta {
    pub fn key(&self) -> usize {
        self.0
    }
    pub fn signs(&self) -> bool {
        self.1
    }
    pub fn is_writable(&self) -> bool {
        self.2
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub program: usize,
    pub accounts: Vec<Meta>,
    pub data: Bytes,
}

impl Call {
    /// Discriminator of the instruction, if it is long enough to be one.
    pub fn discriminator(&self) -> Option<&[u8]> {
        self.data.0.get(..DISCRIMINATOR)
    }
}

/// Next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// One transaction.
    Act(Vec<Call>),
    /// Seconds and slots pass.
    Pass(i64, u64),
    /// Somebody sends lamports to an account.
    Give(usize, u64),
    /// An account is put there, as no transaction could: lamports, data, owner.
    Put(usize, u64, Bytes, usize),
}

/// Steps from a ledger on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// True if it starts with nothing but the program, and not with the seeded market.
    pub bare: bool,
    pub keys: Vec<String>,
    pub steps: Vec<Step>,
}

impl Sequence {
    /// The same steps with places in `keys` instead of its own.
    pub fn interned(mut self, keys: &mut Keys) -> Result<Self> {
        let own: Vec<Address> = self
            .keys
            .drain(..)
            .map(|key| key.parse().with_context(|| format!("{key} is no address")))
            .collect::<Result<_>>()?;
        let places: Vec<usize> = own.into_iter().map(|key| keys.place(key)).collect();
        self.steps.iter_mut().for_each(|step| step.rename(|at| places[at]));
        Ok(self)
    }

    /// The same steps with a list of only the keys it names, as a file has it.
    pub fn standing_alone(&self, keys: &Keys) -> Self {
        let mut alone = self.clone();
        let mut places = HashMap::new();
        let mut named = Vec::new();
        for step in &mut alone.steps {
            step.rename(|at| {
                *places.entry(at).or_insert_with(|| {
                    named.push(keys.at(at).to_string());
                    named.len() - 1
                })
            });
        }
        alone.keys = named;
        alone
    }
}

impl Step {
    fn rename(&mut self, mut renamed: impl FnMut(usize) -> usize) {
        match self {
            Step::Pass(..) => {}
            Step::Give(key, _) => *key = renamed(*key),
            Step::Put(key, _, _, owner) => {
                *key = renamed(*key);
                *owner = renamed(*owner);
            }
            Step::Act(calls) => {
                for call in calls {
                    call.program = renamed(call.program);
                    call.accounts.iter_mut().for_each(|meta| meta.0 = renamed(meta.0));
                }
            }
        }
    }
}

/// Every address that was ever named.
#[derive(Default)]
pub struct Keys {
    all: Vec<Address>,
    places: HashMap<Address, usize>,
}

impl Keys {
    pub fn place(&mut self, key: Address) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.all.push(key);
            self.all.len() - 1
        })
    }

    pub fn at(&self, place: usize) -> Address {
        self.all[place]
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }
}

/// Bytes that files hold as base64.
#[derive(Clone, Debug, PartialEq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        BASE64_STANDARD.decode(text).map(Bytes).map_err(serde::de::Error::custom)
    }
}

/// An account of the seeded market.
#[derive(Deserialize)]
pub struct Held {
    pub key: String,
    pub lamports: u64,
    pub data: Bytes,
    pub owner: String,
}

/// The seeded market, and what its tests did on it.
#[derive(Deserialize)]
pub struct Seeds {
    pub program: String,
    /// Unix seconds, and the slot of that time.
    pub start: i64,
    pub slot: u64,
    pub fee_payer: String,
    /// Addresses that may sign.
    pub wallets: Vec<String>,
    pub accounts: Vec<Held>,
    pub sequences: Vec<Sequence>,
    /// Names of the instructions, by the discriminators of eight bytes in hex.
    pub instructions: HashMap<String, String>,
}

impl Seeds {
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} holds no seeds", path.display()))
    }
}

//! What says how a call is to be judged: a program that asks has no say in it.

use mayi_check::JUDGING_KEYS;
use serde_json::Value;

use crate::error::RpcError;

/// # Errors
/// If `call` has one of them.
pub(crate) fn refuse_judging_keys(call: &Value) -> Result<(), RpcError> {
    match JUDGING_KEYS.iter().find(|key| call.get(**key).is_some()) {
        Some(key) => Err(RpcError::Params(format!("`{key}` says how to judge: only `check` takes that"))),
        None => Ok(()),
    }
}

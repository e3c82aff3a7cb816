//! The methods: one group a file, which says of each who may call it: the editor, the page, or both.

mod approvals;
mod ask;
mod events;
mod history;
mod record;
mod servers;
mod sessions;
mod settings;
mod undigested;

use std::sync::Arc;

use jsonrpsee::server::{Extensions, RpcModule};
use jsonrpsee::types::{ErrorObjectOwned, Params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::Refused;
use crate::front::Peer;

/// What a method gives.
type Answer<T> = Result<T, ErrorObjectOwned>;

/// What methods work on.
pub(crate) struct Context {
    pub(crate) backend: Arc<Backend>,
    pub(crate) pairing: Option<Arc<crate::front::Pairings>>,
    /// Requests to ask that are under way.
    asking: Arc<tokio::sync::Semaphore>,
}

/// So many programs may wait for an answer at a time.
const MOST_ASKING: usize = 64;

/// The methods, by what carries them.
pub(crate) struct Modules {
    /// All of them (S3.4).
    pub(crate) socket: RpcModule<Context>,
    /// For requests over HTTP alone, which has no way back for events.
    pub(crate) http: RpcModule<Context>,
}

/// Puts the methods together.
///
/// # Errors
/// If two methods have the same name.
pub(crate) fn modules(
    backend: &Arc<Backend>,
    pairing: Option<&Arc<crate::front::Pairings>>,
) -> Result<Modules, String> {
    let asking = Arc::new(tokio::sync::Semaphore::new(MOST_ASKING));
    let module = |events: fn(&mut RpcModule<Context>) -> Registered| {
        let context =
            Context { backend: Arc::clone(backend), pairing: pairing.cloned(), asking: Arc::clone(&asking) };
        let mut module = RpcModule::new(context);
        settings::register(&mut module)?;
        sessions::register(&mut module)?;
        approvals::register(&mut module)?;
        ask::register(&mut module)?;
        servers::register(&mut module)?;
        record::register(&mut module)?;
        history::register(&mut module)?;
        events(&mut module)?;
        Ok(module)
    };
    let text = |error: jsonrpsee::core::RegisterMethodError| error.to_string();
    Ok(Modules {
        socket: module(events::register).map_err(text)?,
        http: module(events::refuse).map_err(text)?,
    })
}

type Registered = Result<(), jsonrpsee::core::RegisterMethodError>;

/// Adds a method that works on blocking files, and answers soon. Only for whoever may answer.
fn method<P, R, F>(module: &mut RpcModule<Context>, name: &'static str, call: F) -> Registered
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&Context, &Peer, P) -> Result<R, Refused> + Clone + Send + Sync + 'static,
{
    add(module, name, Credential::Answer, call)
}

/// The same for the page too.
fn for_page<P, R, F>(module: &mut RpcModule<Context>, name: &'static str, call: F) -> Registered
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&Context, &Peer, P) -> Result<R, Refused> + Clone + Send + Sync + 'static,
{
    add(module, name, Credential::Page, call)
}

/// The same for whoever has any credential.
fn for_all<P, R, F>(module: &mut RpcModule<Context>, name: &'static str, call: F) -> Registered
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&Context, &Peer, P) -> Result<R, Refused> + Clone + Send + Sync + 'static,
{
    add(module, name, Credential::Ask, call)
}

fn add<P, R, F>(module: &mut RpcModule<Context>, name: &'static str, least: Credential, call: F) -> Registered
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&Context, &Peer, P) -> Result<R, Refused> + Clone + Send + Sync + 'static,
{
    module
        .register_blocking_method(name, move |params, context, extensions| -> Answer<R> {
            let peer = allowed(&extensions, least)?;
            Ok(call(&context, &peer, parsed(&params)?)?)
        })
        .map(|_| ())
}

/// Who calls, if they may.
fn allowed(extensions: &Extensions, least: Credential) -> Result<Arc<Peer>, Refused> {
    let peer = extensions.get::<Arc<Peer>>().cloned();
    let peer = peer.ok_or_else(|| Refused::Internal("nobody knows who calls".to_owned()))?;
    let only = match peer.credential {
        credential if credential >= least => return Ok(peer),
        Credential::Ask => "only ask (approval/request, check)",
        Credential::Page | Credential::Answer => "only see what waits, and answer it (approval/*)",
    };
    Err(Refused::NotAllowed(format!("this credential may {only}: use the one of the answering file")))
}

/// The parameters; none are an empty object. What two readers could understand differently is refused: what is asked here
/// is carried out elsewhere.
fn parsed<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, Refused> {
    let text = params.as_str().unwrap_or("{}");
    mayi_core::call::json::strict(text)
        .and_then(serde_json::from_value)
        .map_err(|error| Refused::Params(format!("the parameters are not understood: {error}")))
}

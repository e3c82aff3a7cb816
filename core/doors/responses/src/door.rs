//! The door: what all requests share.

use std::path::PathBuf;
use std::sync::Arc;

use mayi_core::approval::escape_line;
use mayi_core::call::{AgentId, ServerId};
use mayi_core::gate::Gate;
use mayi_core::pin::Pins;
use mayi_core::policy::Mode;
use mayi_core::store::Store;
use mayi_doors::pins::{ServerNotices, ServerPins};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::cancel::CancellableAnswers;
use crate::json_answer::WholeAnswer;
use crate::open::CreatedIds;
use crate::peers::PeerLookups;
use crate::recording::Recorder;
use crate::request::McpServer;
use crate::response_chains::Chains;
use crate::returning_clients::JoinableAnswers;
use crate::shared_stream::Feed;
use crate::upstream::Upstream;

/// So many calls wait for an answer at a time, of all apps together; more are denied.
const WAITING: usize = 64;

/// A shorter key than this is in every other text.
const SHORTEST: usize = 8;

/// Hears one line that people should know.
pub type NoticeSink = Arc<dyn Fn(&str) + Send + Sync>;

/// How the door is to be.
pub struct ResponsesOptions {
    /// Who calls through it: as the user configured it, never what an app says of itself.
    pub agent: AgentId,
    /// The folder that names in arguments start from.
    pub cwd: PathBuf,
    /// The folders that may be worked in, links resolved.
    pub roots: Vec<PathBuf>,
    /// The mode, if one was chosen.
    pub mode: Option<Mode>,
    /// The servers of the configuration that are reached by an address: their names, addresses and identities. An app's
    /// server of that name at that address is that one.
    pub servers: Vec<(String, String, ServerId)>,
    /// Where it can be looked up who is within an agent, and what is trusted of servers.
    pub store: Arc<dyn Store>,
    /// A denial ends the answer, and the app's next request begins anew.
    pub reset_on_deny: bool,
    /// Who hears of what people should know.
    pub say: NoticeSink,
    /// Keys that no call may carry, and nobody may read: the app's own and the endpoint's.
    pub secrets: Vec<String>,
    /// Writes down what apps ask and get, if somebody wants that.
    pub recorder: Option<Arc<Recorder>>,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    pub(crate) upstream: Upstream,
    pub(crate) chains: Chains,
    pub(crate) options: ResponsesOptions,
    pub(crate) waiting: Semaphore,
    /// Answers, and streams, that whoever sends the same request again joins.
    pub(crate) answers: JoinableAnswers<Option<WholeAnswer>>,
    pub(crate) streams: JoinableAnswers<Feed>,
    /// What can be cancelled.
    pub(crate) cancels: CancellableAnswers,
    /// What servers say of their tools, held to what is trusted.
    pub(crate) pinned: ServerPins,
    /// Which connection has made what.
    pub(crate) created: CreatedIds,
    /// Who connects.
    pub(crate) peers: Arc<PeerLookups>,
    /// mayi ends.
    pub(crate) closing: CancellationToken,
}

impl Shared {
    /// Whether a text has a key in it, of those that this door knows, or `own`, which an app has sent.
    pub(crate) fn has_key(&self, text: &str, own: Option<&str>) -> bool {
        let keys = self.options.secrets.iter().map(String::as_str).chain(own);
        keys.filter(|key| key.len() >= SHORTEST).any(|key| text.contains(key))
    }

    /// The configured server that the app's server `label` is.
    pub(crate) fn configured_server(&self, label: &str, server: &McpServer) -> Option<ServerId> {
        let (kind, place) = server.location.as_ref()?;
        let is = |(name, url, _): &&(String, String, ServerId)| {
            *kind == "server_url" && name == label && url == place
        };
        self.options.servers.iter().find(is).map(|(_, _, identity)| identity.clone())
    }
}

/// The door. Cheap to clone.
#[derive(Clone)]
pub struct ResponsesDoor {
    pub(crate) shared: Arc<Shared>,
}

impl ResponsesDoor {
    /// A door before `upstream`.
    #[must_use]
    pub fn new(gate: Gate, upstream: Upstream, chains: Chains, options: ResponsesOptions) -> Self {
        let say = Arc::clone(&options.say);
        let told = ServerNotices::new(
            Arc::new(move |server, text| say(&format!("{}: {text}", escape_line(server)))),
            false,
        );
        let pinned = ServerPins::new(Pins::new(Some(Arc::clone(&options.store))), Arc::new(told));
        let shared = Shared {
            peers: PeerLookups::new(Arc::clone(&options.store)),
            gate,
            upstream,
            chains,
            options,
            waiting: Semaphore::new(WAITING),
            answers: JoinableAnswers::default(),
            streams: JoinableAnswers::default(),
            cancels: CancellableAnswers::default(),
            pinned,
            created: CreatedIds::default(),
            closing: CancellationToken::new(),
        };
        Self { shared: Arc::new(shared) }
    }
}

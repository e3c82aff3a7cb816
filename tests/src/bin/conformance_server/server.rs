//! What the protocol asks of the server, handed to whoever knows.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities,
    ServerConfig, SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use crate::changes::Changes;
use crate::{asking, fixed, listed, logs, prompts, resources, result, rounds, typed};

/// Signs the states that clients carry from round to round. It keeps a test's client honest, and nothing secret.
const KEY: &[u8] = b"the key of a server that only tests talk to";

/// What all sessions have in common.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) changes: Changes,
    pub(crate) states: Arc<RequestStateCodec>,
}

impl Shared {
    pub(crate) fn new() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self { changes: Changes::new(), states: Arc::new(RequestStateCodec::try_new(KEY)?) })
    }
}

/// One session, or one request where there are no sessions.
pub(crate) struct Server {
    pub(crate) shared: Shared,
    /// The least that the client wants to read in logs, if it said so for the session.
    pub(crate) level: Mutex<Option<LoggingLevel>>,
    /// The resources whose changes the session wants to hear of.
    watched: Mutex<BTreeSet<String>>,
}

impl Server {
    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared, level: Mutex::default(), watched: Mutex::default() }
    }

    pub(crate) fn watches(&self, uri: &str) -> bool {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }
}

/// Whether the request belongs to the era without sessions.
pub(crate) fn stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance", "1.0.0"))
            .with_instructions("Tools, prompts and resources for the conformance suite.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        result(listed::tools())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let listed: ListToolsResult = typed(listed::tools()).ok()?;
        listed.tools.into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(said) = fixed::tool(&request) {
            return Ok(result::<CallToolResult>(said)?.into());
        }
        if let Some(response) = rounds::tool(&self.shared.states, &request, &context)? {
            return Ok(response);
        }
        let said = match request.name.as_ref() {
            "test_tool_with_logging" | "test_logging_tool" => logs::logging(self, &context).await?,
            "test_tool_with_progress" => logs::progress(&context).await?,
            "test_trigger_tool_change" | "test_trigger_prompt_change" | "test_trigger_resource_change" => {
                self.trigger(&request.name, &context).await?
            }
            name => match asking::tool(name, &request, &context).await? {
                Some(said) => said,
                None => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
            },
        };
        Ok(result::<CallToolResult>(said)?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        result(listed::prompts())
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match rounds::prompt(&request, &context)? {
            Some(response) => Ok(response),
            None => Ok(prompts::get(&request)?.into()),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        prompts::complete(&request)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        result(listed::resources())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        result(listed::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&request.uri)?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.shared.changes.begin();
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.shared.changes.tell(&context).await;
        Ok(())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Without sessions, each request says for itself what it wants to read.
        if stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }
}

//! The reference implementation's server.

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::*;

#[derive(Clone)]
struct Deploys;

fn deploy() -> Tool {
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    let schema = json!({"type": "object", "properties": {"region": region}});
    Tool::new("deploy", "deploys", Arc::new(schema.as_object().unwrap().clone()))
}

impl ServerHandler for Deploys {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == "deploy").then(deploy)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![deploy()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = format!("{:?}", request.arguments);
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

async fn served() -> String {
    let config = StreamableHttpServerConfig::default();
    let service: StreamableHttpService<Deploys, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Deploys), Default::default(), config);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// MCP 2025-11-25.
#[tokio::test]
async fn given_rmcps_server_then_the_older_era_works() {
    let mut wire = wire(&served().await);
    wire.opened().await;
    wire.send(Frame::request(2, "tools/list", &json!({}))).await;
    let (list, about) = wire.frame().await;
    assert_eq!((list["result"]["tools"][0]["name"].as_str(), about), (Some("deploy"), Some(2)));
    for id in 3..10 {
        let params = json!({"name": "deploy", "arguments": {"region": "é"}});
        wire.send(Frame::request(id, "tools/call", &params)).await;
    }
    for _ in 3..10 {
        let (called, about) = wire.frame().await;
        assert_eq!(called["id"].as_u64(), about);
        assert!(called.to_string().contains('é'), "{called}");
    }
}

/// MCP 2026-07-28: its server checks the headers of annotated arguments.
#[tokio::test]
async fn given_rmcps_server_then_the_newer_era_works() {
    let mut wire = wire(&served().await);
    wire.send(modern(1, "server/discover", json!({}))).await;
    let (found, _) = wire.frame().await;
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let call = |id| modern(id, "tools/call", json!({"name": "deploy", "arguments": {"region": "é"}}));
    // Before the tools are known, the header can't be there.
    wire.send(call(2)).await;
    assert_eq!(wire.frame().await.0["error"]["code"], -32020);
    wire.send(modern(3, "tools/list", json!({}))).await;
    assert_eq!(wire.frame().await.0["result"]["tools"][0]["name"], "deploy");
    wire.send(call(4)).await;
    let (called, about) = wire.frame().await;
    assert_eq!(about, Some(4));
    assert!(called["result"].to_string().contains('é'), "{called}");
    wire.send(modern(5, "nobody/knows", json!({}))).await;
    assert_eq!(wire.frame().await.0["error"]["code"], -32601);
}

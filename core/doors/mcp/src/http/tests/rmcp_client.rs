//! The reference implementation's client.

use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt};

use super::*;

async fn used(lifecycle: ClientLifecycleMode, token: bool) -> Vec<Seen> {
    let mut options = HttpOptions::for_localhost();
    options.token = token.then(|| "secret".to_owned());
    options.schemas = Arc::new(|name| (name == "echo").then(|| tool()["inputSchema"].clone()));
    let mut front = served(options).await;
    let mut config = StreamableHttpClientTransportConfig::with_uri(front.url.clone());
    if token {
        config = config.auth_header("secret");
    }
    let transport = StreamableHttpClientTransport::with_client(front.http.clone(), config);
    let client =
        rmcp::model::ClientConfig::default().serve_with_lifecycle(transport, lifecycle).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools[0].name, "echo");
    for name in ["echo", "news"] {
        let arguments = serde_json::json!({"region": "é"}).as_object().unwrap().clone();
        let result =
            client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await.unwrap();
        assert!(format!("{result:?}").contains('é'), "{result:?}");
    }
    client.cancel().await.unwrap();
    let mut seen = Vec::new();
    front.stop.take().unwrap().send(()).unwrap();
    front.task.await.unwrap();
    front.seen.close();
    while let Some(one) = front.seen.recv().await {
        seen.push(one);
    }
    seen
}

/// MCP 2025-11-25.
#[tokio::test]
async fn given_rmcps_client_of_the_older_era_then_it_is_served() {
    let seen = used(ClientLifecycleMode::Initialize, false).await;
    assert!(matches!(&seen[0], Seen::Opened(_, ClientCount::One)), "{seen:?}");
    assert!(seen.contains(&Seen::Told("notifications/initialized".to_owned())), "{seen:?}");
    assert!(seen.contains(&Seen::Closed), "{seen:?}");
}

/// MCP 2026-07-28.
#[tokio::test]
async fn given_rmcps_client_of_the_newer_era_then_it_is_served() {
    let lifecycle = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let seen = used(lifecycle, true).await;
    assert!(matches!(&seen[0], Seen::Opened(_, ClientCount::Several)), "{seen:?}");
    assert_eq!(seen.iter().filter(|seen| matches!(seen, Seen::Opened(..))).count(), 1);
}

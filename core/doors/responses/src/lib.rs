//! The Responses API: a door between an app and an OpenAI-compatible endpoint, where the endpoint itself calls MCP tools.
//!
//! Everything passes as it came. Only where a response asks for an approval (`mcp_approval_request`) mayi decides or asks,
//! answers the endpoint in the app's place, and joins what comes then to what the app has had: an app that knows no approvals
//! sees one answer.

mod again;
mod answers;
mod aside;
mod ask;
mod calls;
mod cancel;
mod chains;
mod door;
mod events;
mod exchange;
mod feed;
mod front;
mod items;
mod joined;
mod listed;
mod open;
mod own;
mod plain;
mod recording;
mod refusal;
mod replay;
mod request;
mod require;
mod retrieve;
mod route;
mod start;
mod streamed;
mod upstream;

pub use ask::Answer;
pub use chains::Chains;
pub use door::{ResponsesDoor, ResponsesOptions, Say};
pub use front::{Admission, serve};
pub use recording::Recorder;
pub use replay::Replay;
pub use upstream::Upstream;

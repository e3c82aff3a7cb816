//! The Responses API: a door between an app and an OpenAI-compatible endpoint, where the endpoint itself calls MCP tools.
//!
//! Everything passes as it came. Only where a response asks for an approval (`mcp_approval_request`) mayi decides or asks,
//! answers the endpoint in the app's place, and joins what comes then to what the app has had: an app that knows no approvals
//! sees one answer.

mod answers;
mod ask;
mod calls;
mod cancel;
mod door;
mod events;
mod exchange;
mod first_request;
mod front;
mod items;
mod joined_response;
mod json_answer;
mod open;
mod own_approvals;
mod peers;
mod recording;
mod refusal;
mod replay;
mod request;
mod require_approval;
mod response_chains;
mod retrieve;
mod returning_clients;
mod route;
mod shared_stream;
mod side_requests;
mod streamed_answer;
mod tool_lists;
mod upstream;

pub use ask::AnswerEvents;
pub use door::{NoticeSink, ResponsesDoor, ResponsesOptions};
pub use front::{Admission, serve_apps};
pub use recording::Recorder;
pub use replay::Replay;
pub use response_chains::Chains;
pub use upstream::Upstream;

//! The service that shows notifications: `org.freedesktop.Notifications` (Desktop Notifications Specification 1.3) on the
//! user's session bus.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use mayi_core::gate::{asking_pids, is_started_by};
use mayi_core::store::Store;
use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;
use zbus::fdo::DBusProxy;
use zbus::names::{BusName, OwnedUniqueName, WellKnownName};

use super::NotificationText;

const NAME: &str = "org.freedesktop.Notifications";

/// The keys of the buttons.
const ALLOW: &str = "allow";
const DENY: &str = "deny";

/// So long a bus and a service may take to say something.
const PATIENCE: Duration = Duration::from_secs(5);

/// A button of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Button {
    /// Allow once.
    Allow,
    Deny,
}

#[zbus::proxy(interface = "org.freedesktop.Notifications", default_path = "/org/freedesktop/Notifications")]
trait Notifications {
    #[allow(clippy::too_many_arguments, reason = "the specification's")]
    fn notify(
        &self,
        app_name: &str,
        replaces_id: u32,
        app_icon: &str,
        summary: &str,
        body: &str,
        actions: &[&str],
        hints: HashMap<&str, zbus::Variant<'_>>,
        expire_timeout: i32,
    ) -> zbus::Result<u32>;

    fn close_notification(&self, id: u32) -> zbus::Result<()>;

    fn get_capabilities(&self) -> zbus::Result<Vec<String>>;

    #[zbus(signal)]
    fn action_invoked(&self, id: u32, action_key: String) -> zbus::Result<()>;
}

/// A service that was looked at.
pub(super) struct NotificationService {
    bus: DBusProxy<'static>,
    /// The one process that is talked with, and whose signals count.
    owner: OwnedUniqueName,
    notifications: NotificationsProxy<'static>,
    store: Arc<dyn Store>,
    /// Whether `<` and `&` of a body mean something to it.
    markup: bool,
}

impl NotificationService {
    /// Connects to the bus at `socket`, and finds the service there.
    pub(super) async fn connect(socket: &Path, store: Arc<dyn Store>) -> io::Result<Self> {
        let connect = async {
            let stream = UnixStream::connect(socket)?;
            let peer = socket_peercred(&stream)?;
            // A bus of somebody else's, or one that an agent has put there, would answer for the person.
            ensure_trusted(&*store, peer.pid.as_raw_nonzero().get().cast_unsigned(), peer.uid.as_raw())?;
            let connection =
                zbus::connection::Builder::unix_stream(stream).build().await.map_err(io::Error::other)?;
            let bus = DBusProxy::new(&connection).await.map_err(io::Error::other)?;
            let name = WellKnownName::from_static_str(NAME).map_err(io::Error::other)?;
            // A service that is started on demand is not there before.
            let _ = bus.start_service_by_name(name.clone(), 0).await;
            let owner = bus.get_name_owner(BusName::from(name)).await.map_err(io::Error::other)?;
            let notifications = NotificationsProxy::builder(&connection)
                .destination(owner.clone())
                .build()
                .await
                .map_err(io::Error::other)?;
            let can = notifications.get_capabilities().await.map_err(io::Error::other)?;
            if !can.iter().any(|can| can == "actions") {
                return Err(io::Error::other("the desktop's notifications have no buttons"));
            }
            let markup = can.iter().any(|can| can == "body-markup");
            let service = Self { bus, owner, notifications, store, markup };
            service.ensure_still_trusted().await?;
            Ok(service)
        };
        tokio::time::timeout(PATIENCE, connect).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
    }

    /// Whether the service's process is the user's, and not within an agent.
    pub(super) async fn ensure_still_trusted(&self) -> io::Result<()> {
        let name = || BusName::from(self.owner.clone());
        let pid = self.bus.get_connection_unix_process_id(name()).await.map_err(io::Error::other)?;
        let uid = self.bus.get_connection_unix_user(name()).await.map_err(io::Error::other)?;
        ensure_trusted(&*self.store, pid, uid)
    }

    /// The buttons that are pressed, each with its notification's number.
    pub(super) async fn button_presses(
        &self,
    ) -> io::Result<impl Stream<Item = (u32, Button)> + Unpin + use<>> {
        let signals = self.notifications.receive_action_invoked().await.map_err(io::Error::other)?;
        Ok(signals.filter_map(|signal| {
            let press = signal.args().ok().and_then(|args| {
                let button = match args.action_key.as_str() {
                    ALLOW => Button::Allow,
                    DENY => Button::Deny,
                    // A click on the notification itself says neither.
                    _ => return None,
                };
                Some((args.id, button))
            });
            std::future::ready(press)
        }))
    }

    /// Shows a notification, in the place of the one with the number `older` unless that is 0. Returns its number.
    pub(super) async fn show_notification(&self, older: u32, text: &NotificationText) -> io::Result<u32> {
        let body = if self.markup { escape_markup(&text.body) } else { text.body.clone() };
        let buttons: &[&str] =
            if text.allows { &[DENY, "Deny", ALLOW, "Allow once"] } else { &[DENY, "Deny"] };
        let hints =
            HashMap::from([("urgency", zbus::Variant::U8(1)), ("category", zbus::Variant::from("presence"))]);
        let lasts = text.lasts.unwrap_or(0);
        let icon = "dialog-question";
        let show =
            self.notifications.notify("mayi", older, icon, &text.summary, &body, buttons, hints, lasts);
        show.await.map_err(io::Error::other)
    }

    /// Takes a notification away, if it is still there.
    pub(super) async fn hide_notification(&self, number: u32) {
        let _ = self.notifications.close_notification(number).await;
    }
}

/// Refuses a process of another user, one that asks, and one that an agent has started.
fn ensure_trusted(store: &dyn Store, pid: u32, uid: u32) -> io::Result<()> {
    if uid != geteuid().as_raw() {
        return Err(io::Error::other("it is another user's"));
    }
    let asking = asking_pids(store).map_err(io::Error::other)?;
    if asking.contains(&pid) || is_started_by(&asking, pid) {
        return Err(io::Error::other("an agent has started it, and would answer for you"));
    }
    Ok(())
}

/// `text` for a service that reads markup.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

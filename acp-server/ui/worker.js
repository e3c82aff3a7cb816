// Shows the page when its notification is pressed. It keeps nothing, and no request goes through it.

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(self.clients.matchAll({ type: 'window' }).then(([page]) => (page ? page.focus() : self.clients.openWindow('./'))));
});

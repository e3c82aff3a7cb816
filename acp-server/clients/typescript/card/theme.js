// @ts-check
// What is different in a chat from a page of cards alone. The colours are variables of `mayi-card`, so that the app's own style
// may set them: --card, --text, --dim, --line, --code, --focus, --good, --bad, --amber, --amber-back, --added, --removed.

export const HOST_STYLE = `
:host { display: block; color: var(--text); background: var(--card); border-radius: .5rem; overflow-wrap: anywhere; touch-action: manipulation; }
:host([hidden]) { display: none; }
.card { margin: 0; }
.card:not([data-state=pending]) { padding: 0 .7rem; }
@media (pointer: fine) {
  button { min-height: 2rem; padding: .25rem .7rem; }
  summary, .settled > summary, .more, .link { min-height: 0; padding: .25rem 0; }
  input[type=text], select, textarea { min-height: 2rem; padding: .25rem .5rem; }
}
`;

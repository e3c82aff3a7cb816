// What is pasted or dropped into the message field and is no text: it can't be sent, and nothing of it goes missing in silence.

/** What to say of what `data` holds beside text; null: nothing. */
export function unsendable(data: DataTransfer | null): string | null {
  const files = [...(data?.items ?? [])].filter((one) => one.kind === "file");
  if (files.length === 0) return null;
  const images = files.filter((one) => one.type.startsWith("image/")).length;
  const what = images === files.length ? (images === 1 ? "The image was" : `${images} images were`) : files.length === 1 ? "The file was" : `${files.length} files were`;
  return `${what} left out: mayi sends an agent text only. Save it in the project and name its path, and the agent can read it there.`;
}

/** Tells `say` of it, each time. */
export function watchDropped(field: HTMLElement, say: (text: string) => void): void {
  const look = (data: DataTransfer | null): boolean => {
    const text = unsendable(data);
    if (text !== null) say(text);
    return text !== null;
  };
  // The text that comes with it is put in as ever.
  field.addEventListener("paste", (event) => void look(event.clipboardData), { capture: true });
  field.addEventListener("drop", (event) => {
    if (look(event.dataTransfer)) event.preventDefault();
  }, { capture: true });
}

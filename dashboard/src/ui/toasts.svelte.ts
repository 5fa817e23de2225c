const SHOWN_MS = 5_000;
const MOST_KEPT = 4;

interface Toast {
  id: number;
  text: string;
  /** Path of what it tells of, for one that stays until it is dismissed. */
  path?: string;
}

class Toasts {
  all = $state<Toast[]>([]);
}

export const toasts = new Toasts();
let last = 0;

/** Tells something in passing; what must be acted on belongs to the page. */
export function say(text: string): void {
  const id = ++last;
  toasts.all.push({ id, text });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Tells something that has happened elsewhere, with a link, until it is dismissed. The oldest gives way. */
export function keep(text: string, path: string): void {
  const kept = toasts.all.filter((each) => each.path);
  if (kept.length >= MOST_KEPT) dismiss(kept[0]?.id);
  toasts.all.push({ id: ++last, text, path });
}

export function dismiss(id: number | undefined): void {
  toasts.all = toasts.all.filter((each) => each.id !== id);
}

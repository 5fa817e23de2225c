const SHOWN_MS = 5_000;

interface Toast {
  id: number;
  text: string;
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
  setTimeout(() => (toasts.all = toasts.all.filter((each) => each.id !== id)), SHOWN_MS);
}

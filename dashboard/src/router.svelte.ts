import { tick } from "svelte";

/** The page's location: its path, and the query with its filters. */
class Location {
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));

  read(): void {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  }
}

export const place = new Location();

/** Goes to a path of this page; puts the keyboard at its heading. */
export async function go(to: string): Promise<void> {
  history.pushState(null, "", to);
  place.read();
  scrollTo(0, 0);
  await tick();
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Changes the query in place: what is filtered is no step back. An empty value is left out. */
export function ask(changes: Record<string, string | null>): void {
  const query = new URLSearchParams(place.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
  place.read();
}

/** Follows links of this page without reloading it, and the browser's back and forward. */
export function followLinks(): void {
  addEventListener("popstate", () => place.read());
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/docs") || link.pathname.startsWith("/api/") || link.hash) return;
    event.preventDefault();
    void go(link.pathname + link.search);
  });
}

/** The parameters of a path by a pattern such as /listings/:id; null if it is another's. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split("/"), path.replace(/(.)\/$/, "$1").split("/")];
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return found;
}

/** A part of a path; as it is where it is no valid encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

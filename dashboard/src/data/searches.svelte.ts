const KEPT = "searches";
/** Each is a read of the API at each change of the market. */
const MOST = 5;

/** Searches of this browser, as queries of the market's page. */
class Searches {
  all = $state.raw<readonly string[]>(kept());

  has(search: string): boolean {
    return this.all.includes(search);
  }

  /** Keeps a search, or forgets it. Another tab may have kept some meanwhile. */
  turn(search: string): void {
    const others = kept().filter((each) => each !== search);
    this.all = this.has(search) ? others : [...others, search].slice(-MOST);
    localStorage.setItem(KEPT, JSON.stringify(this.all));
  }
}

function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? [...new Set(found.filter((each) => typeof each === "string"))].slice(-MOST) : [];
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return [];
  }
}

export const searches = new Searches();

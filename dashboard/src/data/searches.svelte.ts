const KEPT = "searches";
/** Each is a read of the API at each change of the market. */
const MOST = 5;

/** Searches of this browser, as queries of the market's page. */
class Searches {
  all = $state.raw<readonly string[]>(kept());

  has(search: string): boolean {
    return this.all.includes(search);
  }

  /** Keeps a search, or forgets it. */
  turn(search: string): void {
    this.all = this.has(search) ? this.all.filter((each) => each !== search) : [...this.all, search].slice(-MOST);
    localStorage.setItem(KEPT, JSON.stringify(this.all));
  }
}

function kept(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((each) => typeof each === "string").slice(-MOST) : [];
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return [];
  }
}

export const searches = new Searches();

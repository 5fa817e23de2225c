/** Rows drawn beyond each edge of the screen. */
const SPARE = 12;

/** Of many rows of one height, those on the screen; the height of the others stands in for them. */
export interface Windowed {
  readonly start: number;
  readonly end: number;
  readonly before: number;
  readonly after: number;
}

/** Follows the page's scrolling; `body` holds the rows, whose height is that of the first. */
export function windowed(body: () => HTMLElement | undefined, count: () => number): Windowed {
  let first = $state(0);
  let visible = $state(2 * SPARE);
  let height = $state(40);
  const look = () => {
    const found = body();
    if (!found) return;
    first = Math.max(0, Math.floor(-found.getBoundingClientRect().top / height));
    visible = Math.ceil(innerHeight / height);
  };
  const measure = () => {
    height = body()?.querySelector<HTMLElement>("tr:not(.space)")?.offsetHeight || height;
    look();
  };
  $effect(() => {
    void count();
    measure();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", measure);
    };
  });
  const start = $derived(Math.max(0, Math.min(first, count()) - SPARE));
  const end = $derived(Math.min(count(), first + visible + SPARE));
  return {
    get start() {
      return start;
    },
    get end() {
      return end;
    },
    get before() {
      return start * height;
    },
    get after() {
      return (count() - end) * height;
    },
  };
}

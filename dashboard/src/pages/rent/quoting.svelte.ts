import { ApiRefusal } from "../../data/api";

/** Typing is over after so long. */
const QUIET_MS = 450;

/** The API's quote for the order, requested again as the order changes. */
export class Quoting<Order, Quote> {
  value = $state.raw<Quote>();
  error = $state.raw<Error>();
  isAsking = $state(false);
  #turn = $state(0);
  #later: ReturnType<typeof setTimeout> | undefined;

  /** `asked` is the order, null while it cannot be asked for; `quote` asks the API. While the order `isReviewed`
   * nothing is asked: what is being signed has a quote of its own, and may land before another is answered. */
  constructor(
    asked: () => Order | null,
    isReviewed: () => boolean,
    private readonly quote: (order: Order, signal: AbortSignal) => Promise<Quote>,
  ) {
    $effect(() => {
      void this.#turn;
      const order = asked();
      if (isReviewed()) return;
      if (order === null) {
        this.value = this.error = undefined;
        return;
      }
      this.isAsking = true;
      const aborting = new AbortController();
      const timer = setTimeout(() => void this.#ask(order, aborting.signal), QUIET_MS);
      return () => {
        clearTimeout(timer);
        clearTimeout(this.#later);
        aborting.abort();
        this.isAsking = false;
      };
    });
  }

  /** Asks at once for an order that is about to be reviewed. */
  async now(order: Order): Promise<Quote> {
    this.value = await this.quote(order, new AbortController().signal);
    this.error = undefined;
    return this.value;
  }

  /** Requests another quote. */
  again = (): void => {
    this.#turn += 1;
  };

  async #ask(order: Order, signal: AbortSignal): Promise<void> {
    try {
      this.value = await this.quote(order, signal);
      this.error = undefined;
    } catch (cause) {
      if (signal.aborted) return;
      const wait = cause instanceof ApiRefusal && cause.status === 429 ? (cause.retryAfter ?? 1) : 0;
      if (wait) this.#later = setTimeout(this.again, wait * 1_000);
      else this.value = undefined;
      this.error = cause as Error;
    } finally {
      if (!signal.aborted) this.isAsking = false;
    }
  }
}

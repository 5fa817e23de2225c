import type { Landed, Sent } from "gpu-market";
import type { GpuMarketError } from "./api";

const KEPT = "sent";

/** A transaction that was signed, and is kept until its outcome is known: a reload loses nothing. */
export interface OnItsWay {
  readonly what: string;
  /** Page to open once it has landed. */
  readonly to: string | null;
  readonly sent: Sent;
}

const read = (): OnItsWay[] => JSON.parse(localStorage.getItem(KEPT) ?? "[]") as OnItsWay[];

/** Keeps a transaction that has just been signed. */
export function keepSent(one: OnItsWay): void {
  localStorage.setItem(KEPT, JSON.stringify([...read(), one]));
}

/** Forgets one whose outcome is known. */
export function dropSent(transaction: string): void {
  const left = read().filter(({ sent }) => sent.transaction !== transaction);
  if (left.length) localStorage.setItem(KEPT, JSON.stringify(left));
  else localStorage.removeItem(KEPT);
}

export interface Outcome {
  readonly of: OnItsWay;
  readonly landed?: Landed;
  readonly error?: GpuMarketError;
}

/** Transactions that an earlier view of this page had signed, and their outcomes. */
class Earlier {
  waiting = $state.raw<OnItsWay[]>(read());
  outcomes = $state.raw<Outcome[]>([]);

  /** Asks for each outcome. */
  async resume(): Promise<void> {
    if (!this.waiting.length) return;
    const { GpuMarket } = await import("./signing");
    const market = new GpuMarket({ api: location.origin });
    await Promise.all(
      this.waiting.map(async (one) => {
        const told: Outcome = await market.resume(one.sent).then(
          (landed) => ({ of: one, landed }),
          (error: GpuMarketError) => ({ of: one, error }),
        );
        dropSent(one.sent.transaction);
        this.waiting = this.waiting.filter((each) => each !== one);
        this.outcomes = [...this.outcomes, told];
      }),
    );
  }

  /** Shows an outcome no longer. */
  dismiss(outcome: Outcome): void {
    this.outcomes = this.outcomes.filter((each) => each !== outcome);
  }
}

export const earlier = new Earlier();

import type { Act, ActPath, Draft, GpuMarket } from "gpu-market";
import { GpuMarketError } from "../../data/api";
import { wallets } from "../../data/wallet.svelte";

/** The act under review on a page, until it is signed or dismissed; shown by `Review`. */
export class Asking {
  title = $state("");
  isOpen = $state(false);
  #asked = $state.raw<(market: GpuMarket) => Promise<Draft>>();

  /** `remedy` is told to whoever has no wallet connected any more. */
  constructor(private readonly remedy: string) {}

  /** Opens the review of an act. */
  review<Path extends ActPath>(title: string, act: Act<Path>): void {
    this.title = title;
    this.#asked = (market) => market.draft(act);
    this.isOpen = true;
  }

  /** Has it drafted. DraftRefused, ApiRefusal, ApiUnreachable; GpuMarketError without a wallet. */
  draft = async (): Promise<Draft> => {
    const { market } = wallets;
    if (!market || !this.#asked) throw new GpuMarketError("wallet_needed", "No wallet is connected", this.remedy);
    return this.#asked(market);
  };
}

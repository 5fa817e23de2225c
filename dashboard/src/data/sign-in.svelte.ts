import type { SignIn } from "gpu-market";
import { wallets } from "./wallet.svelte";
import { GpuMarketError } from "./api";

/** The wallet's sign-in to the API. It ends with the page: nothing that acts for the wallet is kept. */
class Session {
  #signedIn = $state.raw<SignIn>();

  /** The client whose requests carry the sign-in; undefined unless the account that acts here has signed in. */
  get market() {
    return this.#signedIn !== undefined && this.#signedIn.wallet === wallets.account?.address ? wallets.market : undefined;
  }

  /** Has the wallet sign the API's message. SigningRefused, ApiRefusal. */
  async begin(): Promise<void> {
    const { market } = wallets;
    if (!market) throw new GpuMarketError("wallet_needed", "No wallet is connected", "Connect a wallet first.");
    this.#signedIn = await market.signIn();
  }

  /** Ends it, here and at the API. */
  async end(): Promise<void> {
    const ending = this.#signedIn;
    this.#signedIn = undefined;
    await ending?.end();
  }
}

export const session = new Session();

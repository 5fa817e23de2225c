import { getWallets } from "@wallet-standard/app";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import type { GpuMarket } from "gpu-market";
import { answered, api } from "./api";

type Chain = `solana:${string}`;
interface Connects {
  connect(input?: { silent?: boolean }): Promise<{ accounts: readonly WalletAccount[] }>;
}

const KEPT = "wallet";
const NEEDED = ["standard:connect", "solana:signTransaction", "solana:signMessage"];

/** The browser's wallets, and the account that acts here. Importing this begins to look for wallets. */
class Wallets {
  found = $state.raw<readonly Wallet[]>([]);
  account = $state.raw<WalletAccount>();
  market = $state.raw<GpuMarket>();
  #chain: Promise<Chain> | undefined;

  constructor() {
    const { get, on } = getWallets();
    const look = () => {
      this.found = get().filter((wallet) => NEEDED.every((name) => name in wallet.features));
      const kept = this.found.find((wallet) => wallet.name === localStorage.getItem(KEPT));
      if (kept && !this.account) void this.connect(kept, true).catch(() => undefined);
    };
    on("register", look);
    on("unregister", look);
    look();
  }

  /** Has the wallet offer an account; silently only one that it has offered before. */
  async connect(wallet: Wallet, silent = false): Promise<void> {
    const { connect } = wallet.features["standard:connect"] as Connects;
    const { accounts } = await connect(silent ? { silent } : {});
    const account = accounts[0];
    if (!account) return;
    const { GpuMarket, inStorage, walletSigner } = await import("./signing");
    const signer = walletSigner(wallet, account, await this.chain());
    this.market = new GpuMarket({ api: location.origin, signer, keys: inStorage(localStorage) });
    this.account = account;
    localStorage.setItem(KEPT, wallet.name);
  }

  /** Forgets the account here; the wallet keeps what it has allowed. */
  disconnect(): void {
    localStorage.removeItem(KEPT);
    this.account = undefined;
    this.market = undefined;
  }

  /** The chain that this market is on, which wallets are told. */
  chain(): Promise<Chain> {
    this.#chain ??= answered(api.POST("/api/auth/challenge", { body: {} })).then(({ chainId }) => chainId as Chain);
    this.#chain.catch(() => (this.#chain = undefined));
    return this.#chain;
  }
}

export const wallets = new Wallets();

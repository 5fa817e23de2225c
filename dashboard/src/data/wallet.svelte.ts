import { getWallets } from "@wallet-standard/app";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import type { GpuMarket, Signer } from "gpu-market";
import { answered, api, GpuMarketError } from "./api";
import { BURNER_KEY, burnerKey, forgetBurner, makeBurner } from "./burner";

type Chain = `solana:${string}`;
interface Connects {
  connect(input?: { silent?: boolean }): Promise<{ accounts: readonly WalletAccount[] }>;
}

const KEPT = "wallet";
const HARDWARE = "wallet.hardware";
const NEEDED = ["standard:connect", "solana:signTransaction"];
const MESSAGES = ["solana:signMessage", "solana:signOffchainMessage"];
const MAINNET = "solana:mainnet";
const BURNER = "\u0000burner";

/** The browser's wallets, and the account that acts here. Importing this begins to look for wallets. */
class Wallets {
  found = $state.raw<readonly Wallet[]>([]);
  account = $state.raw<{ readonly address: string }>();
  market = $state.raw<GpuMarket>();
  /** True if this page keeps the account's key. */
  isBurner = $state(false);
  #chain: Promise<Chain> | undefined;

  constructor() {
    const { get, on } = getWallets();
    const look = () => {
      this.found = get().filter(
        ({ features }) => NEEDED.every((name) => name in features) && MESSAGES.some((name) => name in features),
      );
      const kept = this.found.find((wallet) => wallet.name === localStorage.getItem(KEPT));
      if (kept && !this.account) void this.connect(kept, { silent: true, hardware: localStorage.getItem(HARDWARE) !== null }).catch(() => undefined);
    };
    on("register", look);
    on("unregister", look);
    look();
    const again = () => {
      if (localStorage.getItem(KEPT) === BURNER && burnerKey() && !this.account) void this.connectBurner();
      if (this.isBurner && !burnerKey()) this.#forget();
    };
    addEventListener("storage", (event) => {
      if (event.key === KEPT || event.key === BURNER_KEY) again();
    });
    again();
  }

  /** Has the wallet offer an account; silently only one that it has offered before. `hardware`: its key is on a device,
   * which signs messages only as off-chain messages. WrongNetwork. */
  async connect(wallet: Wallet, { silent = false, hardware = false } = {}): Promise<void> {
    const { connect } = wallet.features["standard:connect"] as Connects;
    const { accounts } = await connect(silent ? { silent } : {});
    const account = accounts[0];
    if (!account) return;
    const { walletSigner } = await import("./signing");
    const chain = await this.chain();
    if (account.chains.length && !account.chains.includes(chain)) throw wrongNetwork(wallet.name, chain);
    await this.#use(walletSigner(wallet, account, chain, { hardware }), wallet.name);
    if (hardware) localStorage.setItem(HARDWARE, "");
  }

  /** True if a wallet may be made in this browser: any script of the page could read its key. */
  async mayBurn(): Promise<boolean> {
    return (await this.chain()) !== MAINNET;
  }

  /** Uses the wallet that this browser keeps, and makes it if there is none; `before` is done first. GpuMarketError. */
  async connectBurner(before?: (address: string) => Promise<unknown>): Promise<void> {
    const { keypairSigner } = await import("./signing");
    if (!(await this.mayBurn())) {
      const remedy = "Connect a wallet that keeps its key for itself.";
      throw new GpuMarketError("not_for_tests", "Wallets are not made in the browser where money is real", remedy);
    }
    const signer = await keypairSigner(await makeBurner());
    await before?.(signer.address);
    await this.#use(signer, BURNER);
    this.isBurner = true;
  }

  /** Deletes the wallet that this browser keeps. */
  deleteBurner(): void {
    forgetBurner();
    this.disconnect();
  }

  /** Forgets the account here; the wallet keeps what it has allowed. */
  disconnect(): void {
    localStorage.removeItem(KEPT);
    localStorage.removeItem(HARDWARE);
    this.#forget();
  }

  /** The chain that this market is on, which wallets are told. */
  chain(): Promise<Chain> {
    this.#chain ??= answered(api.POST("/api/auth/challenge", { body: {} })).then(({ chainId }) => chainId as Chain);
    this.#chain.catch(() => (this.#chain = undefined));
    return this.#chain;
  }

  #forget(): void {
    this.account = undefined;
    this.market = undefined;
    this.isBurner = false;
  }

  async #use(signer: Signer, name: string): Promise<void> {
    const { GpuMarket, inStorage } = await import("./signing");
    this.isBurner = false;
    const waiting = inStorage(localStorage, "gpu-market.document.");
    this.market = new GpuMarket({ api: location.origin, signer, keys: inStorage(localStorage), waiting });
    this.account = { address: signer.address };
    localStorage.setItem(KEPT, name);
    localStorage.removeItem(HARDWARE);
  }
}

function wrongNetwork(name: string, chain: Chain): GpuMarketError {
  const network = chain.replace("solana:", "");
  const remedy = `Switch ${name} to ${network} and connect again.`;
  return new GpuMarketError("wrong_network", `${name} is not on ${network}, where this market is`, remedy);
}

export const wallets = new Wallets();

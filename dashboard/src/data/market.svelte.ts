import { shortened } from "../format/size";
import { answered, api, type Schemas } from "./api";

const SOL = "So11111111111111111111111111111111111111112";
const MARKET_TOKEN = "GPUM";
const NUMBER = /^\d+$/;

/** Data that rarely changes and every page shows: models, payment tokens and the market's own settings. */
class Known {
  gpus = $state.raw<Schemas["Gpu"][]>([]);
  tokens = $state.raw<Schemas["PaymentToken"][]>([]);
  settings = $state.raw<Schemas["MarketSettings"]>();
  /** Settings other than parameters that votes can change; unknown until a page that needs them reads them. */
  terms = $state.raw<Schemas["MarketTerms"]>();

  /** Hosts by their accounts, which proposals name them by: those that a page has read. */
  hosts = $state.raw<Readonly<Record<string, Schemas["Host"]>>>({});

  /** Names of hosts by their wallets: the API's operator gives them. */
  names = $state.raw<Readonly<Record<string, string>>>({});

  async read(): Promise<void> {
    const [gpus, tokens, settings, hosts] = await Promise.all([
      answered(api.GET("/api/gpus")),
      answered(api.GET("/api/tokens")),
      answered(api.GET("/api/market")),
      answered(api.GET("/api/host-names")),
    ]);
    this.gpus = gpus.gpus;
    this.tokens = tokens.tokens;
    this.settings = settings;
    this.names = hosts.names;
  }

  /** Reads the market's own settings again: votes change them. */
  async readSettings(signal: AbortSignal): Promise<Schemas["MarketSettings"]> {
    return (this.settings = await answered(api.GET("/api/market", { signal })));
  }

  /** Reads the terms of mints and models again. */
  async readTerms(signal: AbortSignal): Promise<Schemas["MarketTerms"]> {
    return (this.terms = await answered(api.GET("/api/governance/terms", { signal })));
  }

  /** Reads the host of an account again; there may be none. */
  async readHost(account: string, signal: AbortSignal): Promise<void> {
    const { hosts } = await answered(api.GET("/api/hosts", { params: { query: { account } }, signal }));
    this.hosts = { ...this.hosts, ...Object.fromEntries(hosts.map((host) => [host.id, host])) };
  }

  /** The market token's symbol and decimals; none while unknown. */
  get marketToken(): { symbol: string; decimals: number } {
    const mint = this.settings?.market_mint ?? "";
    return { symbol: this.token(mint), decimals: this.decimals(mint) };
  }

  /** A host's name by its wallet; the wallet, shortened, without one. */
  host(authority: string): string {
    return this.names[authority] ?? shortened(authority);
  }

  /** A mint's decimals; 0 while unknown. */
  decimals(mint: string | undefined): number {
    return this.tokens.find((each) => each.mint === mint)?.decimals ?? 0;
  }

  /** The mint of what orders are paid in: a symbol that the API knows, or the mint itself. */
  mint(pay: string): string {
    if (pay === MARKET_TOKEN) return this.settings?.market_mint ?? "";
    return pay === "SOL" ? SOL : pay;
  }

  /** A model and its memory, as far as that is known. */
  labelled(model: Schemas["Gpu"]): string {
    return model.vram_gb ? `${this.unsized(model)} ${model.vram_gb} GB` : model.name;
  }

  /** A model's name without the memory that several of one name have in it. */
  unsized(model: Schemas["Gpu"]): string {
    const size = ` ${model.vram_gb}GB`;
    return model.name.endsWith(size) ? model.name.slice(0, -size.length) : model.name;
  }

  /** A model's name by its id; the id while the models are unknown, the number of one that the catalog lacks. */
  gpu(id: string | null | undefined): string {
    if (id && NUMBER.test(id)) return `Model No. ${id}`;
    return this.gpus.find((each) => each.id === id)?.name ?? id ?? "unknown";
  }

  /** Symbol of a mint. */
  token(mint: string): string {
    if (mint === SOL) return "SOL";
    const symbol = this.tokens.find((each) => each.mint === mint)?.token;
    return symbol ?? (mint === this.settings?.market_mint ? MARKET_TOKEN : shortened(mint));
  }
}

export const known = new Known();

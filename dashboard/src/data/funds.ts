import { answered, api, type Schemas } from "./api";

export type Holding = Schemas["Holding"];

/** A wallet's balances, SOL first, then every payment mint. */
export async function fundsOf(wallet: string, signal?: AbortSignal): Promise<Holding[]> {
  const init = { params: { path: { wallet } }, ...(signal && { signal }) };
  return (await answered(api.GET("/api/balances/{wallet}", init))).balances;
}

/** The faucet's gifts to new wallets; empty except on test markets. */
export const giftsOffered = async (): Promise<Holding[]> => (await answered(api.GET("/api/faucet"))).gifts;

/** Gives a wallet test tokens. ApiRefusal: `faucet_closed`, `wallet_has_enough`. */
export const askFaucet = (wallet: string) => answered(api.POST("/api/faucet", { body: { wallet } }));

import { ApiRefusal } from "./api";
import { askFaucet } from "./funds";
import { wallets } from "./wallet.svelte";

/** Makes a wallet in this browser, has it given test tokens, and connects it. GpuMarketError. */
export const becomeRenter = (): Promise<void> => wallets.connectBurner(fund);

async function fund(address: string): Promise<void> {
  await askFaucet(address).catch((error: unknown) => {
    if (!(error instanceof ApiRefusal) || !["wallet_has_enough", "faucet_closed"].includes(error.code)) throw error;
  });
}

import { ApiRefusal } from "./api";
import { askFaucet } from "./funds";
import { wallets } from "./wallet.svelte";

/** Makes a wallet in this browser and has it given test tokens: its address. GpuMarketError. */
export async function becomeRenter(): Promise<string> {
  await wallets.connectBurner();
  const { address } = wallets.account ?? { address: "" };
  await askFaucet(address).catch((error: unknown) => {
    if (!(error instanceof ApiRefusal) || !["wallet_has_enough", "faucet_closed"].includes(error.code)) throw error;
  });
  return address;
}

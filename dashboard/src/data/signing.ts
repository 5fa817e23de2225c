/** Code that only signing needs: loaded once a wallet is connected. */
export { GpuMarket, inStorage, keypairSigner, walletSigner } from "gpu-market";

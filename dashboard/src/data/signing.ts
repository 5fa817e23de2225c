/** What only who signs needs: it comes once a wallet is connected. */
export { GpuMarket, inStorage, keypairSigner, walletSigner } from "gpu-market";

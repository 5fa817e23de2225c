// Airdrop, transfer and confirmation by subscription with an unmodified @solana/kit; prints what it saw as JSON.
import {
  address, airdropFactory, appendTransactionMessageInstruction, createSolanaRpc, createSolanaRpcSubscriptions,
  createTransactionMessage, generateKeyPairSigner, getSignatureFromTransaction, lamports, pipe,
  sendAndConfirmTransactionFactory, setTransactionMessageFeePayerSigner, setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";

const rpc = createSolanaRpc(process.argv[2]);
const rpcSubscriptions = createSolanaRpcSubscriptions(process.argv[3]);
const payer = await generateKeyPairSigner();
const to = (await generateKeyPairSigner()).address;
await airdropFactory({ rpc, rpcSubscriptions })({
  recipientAddress: payer.address, lamports: lamports(2_000_000_000n), commitment: "confirmed",
});

const data = new Uint8Array(12);
new DataView(data.buffer).setUint32(0, 2, true);
new DataView(data.buffer).setBigUint64(4, 1_000_000_000n, true);
const transfer = {
  programAddress: address("11111111111111111111111111111111"),
  accounts: [{ address: payer.address, role: 3, signer: payer }, { address: to, role: 1 }],
  data,
};
const { value: latest } = await rpc.getLatestBlockhash().send();
const message = pipe(
  createTransactionMessage({ version: 0 }),
  (draft) => setTransactionMessageFeePayerSigner(payer, draft),
  (draft) => setTransactionMessageLifetimeUsingBlockhash(latest, draft),
  (draft) => appendTransactionMessageInstruction(transfer, draft),
);
const transaction = await signTransactionMessageWithSigners(message);
await sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })(transaction, { commitment: "confirmed" });
const signature = getSignatureFromTransaction(transaction);
const found = await rpc
  .getTransaction(signature, { commitment: "confirmed", encoding: "json", maxSupportedTransactionVersion: 0 })
  .send();
const { value: balance } = await rpc.getBalance(to, { commitment: "confirmed" }).send();
console.log(JSON.stringify({ balance: Number(balance), fee: Number(found.meta.fee), version: found.version }));
process.exit(0);

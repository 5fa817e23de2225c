// Airdrop, transfer, confirmation and history with an unmodified @solana/web3.js; prints what it saw as JSON.
import { Connection, Keypair, LAMPORTS_PER_SOL, SystemProgram, Transaction, sendAndConfirmTransaction } from "@solana/web3.js";

const connection = new Connection(process.argv[2], "confirmed");
const payer = Keypair.generate();
const to = Keypair.generate().publicKey;
const seen = {};

const latest = await connection.getLatestBlockhash();
const airdrop = await connection.requestAirdrop(payer.publicKey, 2 * LAMPORTS_PER_SOL);
await connection.confirmTransaction({ signature: airdrop, ...latest });

const notified = new Promise((resolve) => connection.onAccountChange(to, (account) => resolve(account.lamports)));
await new Promise((resolve) => connection.onSlotChange(resolve)); // subscribed to after the account, so both are live
const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: LAMPORTS_PER_SOL });
const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer]);
seen.notified = await notified;
seen.balance = await connection.getBalance(to);
const found = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
seen.parsed = found.transaction.message.instructions[0].parsed.type;
seen.history = (await connection.getSignaturesForAddress(to)).map((entry) => entry.signature === signature);
try {
  const overdraft = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 5 * LAMPORTS_PER_SOL });
  await sendAndConfirmTransaction(connection, new Transaction().add(overdraft), [payer]);
} catch (error) {
  seen.refusal = error.constructor.name;
  seen.logs = error.logs.at(-1);
}
console.log(JSON.stringify(seen));
process.exit(0);

// What the published client of the Program Metadata program makes of calls, and of an account's data.
import { readFileSync } from "node:fs";
import * as client from "@solana-program/program-metadata";
import { createNoopSigner, none, some } from "@solana/kit";

const given = JSON.parse(readFileSync(0, "utf8"));
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const readers = { authority: createNoopSigner, data: bytes, newAuthority: (key) => (key ? some(key) : none()) };

const built = given.calls.map(({ name, input }) => {
  const entries = Object.entries(input).map(([key, value]) => [key, readers[key] ? readers[key](value) : value]);
  const { accounts, data, programAddress } = client[name](Object.fromEntries(entries));
  return {
    program: programAddress,
    accounts: accounts.map(({ address, role }) => [address, role]),
    data: Buffer.from(data).toString("hex"),
  };
});
const [address] = await client.findCanonicalPda(given.address);
const account = client.getMetadataEncoder().encode({
  ...given.account,
  authority: given.account.authority ? some(given.account.authority) : none(),
  data: bytes(given.account.data),
});
const content = client.unpackDirectData({ ...given.account, data: bytes(given.account.data) });
console.log(JSON.stringify({ built, address, account: Buffer.from(account).toString("hex"), content }));

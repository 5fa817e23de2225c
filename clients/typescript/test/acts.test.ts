import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "gpu-market";
import { INSTRUCTIONS, SHAPES } from "../src/generated/program.js";

const ID = "So11111111111111111111111111111111111111112";
const { acceptCharges, cancelRequest, claimRefund, claimRewards, compoundRewards, contestJob, disputeCharges } = client;
const { extendJob, lockTokens, claimPayout, closeListing, refreshListing, withdrawTokens, rateJob, reportIssue, stake, stopJob, unlockTokens, unstake, vote } = client;
const { withdrawBid, withdrawStake, closeStake, queueProposal, executeProposal, cancelProposal, vetoProposal } = client;
const { openCharges, registerHost, reportUsage, setCharges, setOperator } = client;
const CHARGES = { bandwidth_usd: 1, bandwidth_free_gb: 2, storage_usd: 3 };
const PROPOSAL = { id: 3, address: ID };
const ACTS = [
  ...[claimPayout, closeListing, refreshListing].map((each) => each(ID)),
  withdrawTokens(),
  ...[acceptCharges, cancelRequest, claimRefund, contestJob, disputeCharges, withdrawBid].map((each) => each(ID)),
  ...[lockTokens, stake, unlockTokens, unstake].map((each) => each(1n)),
  ...[claimRewards(), compoundRewards(), withdrawStake(), rateJob(ID, 5), reportIssue(ID, "slow")],
  ...[closeStake(), vote(PROPOSAL, true)],
  ...[queueProposal, executeProposal, cancelProposal, vetoProposal].map((each) => each(PROPOSAL)),
  ...[openCharges(ID, 1n, 2, CHARGES, ID), setCharges(ID, CHARGES), reportUsage(ID, 1, 2)],
  ...[registerHost("ab".repeat(32)), setOperator(ID, ID)],
  ...[stopJob(ID), stopJob(ID, "slow"), extendJob(ID, 60, 1n, ID)],
];
const ROWS = new Map(Object.values(INSTRUCTIONS).map((row) => [row[0], row]));

test("acts__what_they_expect__is_there_in_the_program", () => {
  for (const { names, args = {}, accounts = {} } of ACTS.flatMap(({ expected }) => expected.instructions)) {
    for (const name of names) {
      const [, roles, fields] = ROWS.get(name) ?? assert.fail(name);
      for (const role of Object.keys(accounts)) assert(roles.split(" ").includes(role), `${name}.${role}`);
      for (const path of Object.keys(args))
        assert(
          fields.some(([field]) => field === path),
          `${name}.${path}`,
        );
    }
  }
});

test("vote__of_a_proposal__names_its_number_in_the_path_and_its_address_in_the_transaction", () => {
  const { id, expected } = vote(PROPOSAL, false);
  assert.equal(id, "3");
  assert.deepEqual(expected.instructions[0]?.accounts, { proposal: ID });
});

test("table__every_argument__is_of_a_known_type", () => {
  const fields = [...ROWS.values()].flatMap((row) => row[2]);
  const inner = Object.values(SHAPES).flatMap((shape) =>
    "struct" in shape ? shape.struct : shape.enum.flatMap((one) => one[1]),
  );
  for (const [, kind] of [...fields, ...inner]) {
    assert(/^([ui](8|16|32|64|128)|bool|pubkey|string|bytes\d*)$/.test(kind) || kind in SHAPES, kind);
  }
});

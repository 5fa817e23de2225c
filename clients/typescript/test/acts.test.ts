import assert from "node:assert/strict";
import { test } from "node:test";
import * as acts from "../src/acts.js";
import * as hosting from "../src/hosting.js";
import * as proposing from "../src/proposing.js";
import { NATIVE_MINT } from "../src/foreign.js";
import { INSTRUCTIONS, SHAPES } from "../src/generated/program.js";

const { act: _act, ...own } = acts;
const { numbered: _numbered, ...ofHosts } = hosting;
const MAKERS = { ...own, ...ofHosts, ...proposing };
type Made = { readonly [Name in keyof typeof MAKERS]: readonly ReturnType<(typeof MAKERS)[Name]>[] };

const ID = "So11111111111111111111111111111111111111112";
const CHARGES = { bandwidth_usd: 1, bandwidth_free_gb: 2, storage_usd: 3 };
const PROPOSAL = { id: 3, address: ID };
const SPEC: hosting.ListingSpec = {
  gpu: "nvidia-h100-pcie-80gb",
  gpu_count: 1,
  vram_gb: 80,
  region: "eu-west",
  cpu_cores: 16,
  ram_gb: 64,
  disk_kind: "nvme",
  disk_gb: 500,
  disk_mbps: 3000,
  net_up_mbps: 1000,
  net_down_mbps: 1000,
  cuda: 1204,
  on_demand_usd: 2_000_000,
  spot_min_usd: 500_000,
  mrl_seconds: 86_400,
  visible: true,
  keep_days: 0,
};

const ACTS: Made = {
  stopJob: [acts.stopJob(ID), acts.stopJob(ID, "slow")],
  extendJob: [acts.extendJob(ID, 60, 1n, ID), acts.extendJob(ID, 60, 1n, NATIVE_MINT)],
  rateJob: [acts.rateJob(ID, 5)],
  reportIssue: [acts.reportIssue(ID, "slow")],
  contestJob: [acts.contestJob(ID)],
  claimRefund: [acts.claimRefund(ID)],
  withdrawBid: [acts.withdrawBid(ID)],
  cancelRequest: [acts.cancelRequest(ID)],
  openCharges: [acts.openCharges(ID, 1n, 2, CHARGES, ID)],
  disputeCharges: [acts.disputeCharges(ID)],
  acceptCharges: [acts.acceptCharges(ID)],
  stake: [acts.stake(1n)],
  unstake: [acts.unstake(1n)],
  withdrawStake: [acts.withdrawStake()],
  claimRewards: [acts.claimRewards()],
  compoundRewards: [acts.compoundRewards()],
  closeStake: [acts.closeStake()],
  vote: [acts.vote(PROPOSAL, true)],
  queueProposal: [acts.queueProposal(PROPOSAL)],
  executeProposal: [acts.executeProposal(PROPOSAL)],
  cancelProposal: [acts.cancelProposal(PROPOSAL)],
  vetoProposal: [acts.vetoProposal(PROPOSAL)],
  registerHost: [hosting.registerHost("ab".repeat(32))],
  setOperator: [hosting.setOperator(ID, ID)],
  setCharges: [hosting.setCharges(ID, CHARGES)],
  reportUsage: [hosting.reportUsage(ID, 1, 2)],
  createListing: [hosting.createListing(SPEC)],
  updateListing: [hosting.updateListing(ID, SPEC)],
  closeListing: [hosting.closeListing(ID)],
  claimPayout: [hosting.claimPayout(ID)],
  refreshListing: [hosting.refreshListing(ID)],
  lockTokens: [hosting.lockTokens(1n)],
  unlockTokens: [hosting.unlockTokens(1n)],
  withdrawTokens: [hosting.withdrawTokens()],
  propose: [proposing.propose({ kind: "set_paused", area: "orders", paused: true }, "Pause")],
};
const ROWS = new Map(Object.values(INSTRUCTIONS).map((row) => [row[0], row]));

test("acts__what_they_expect__is_there_in_the_program", () => {
  assert.deepEqual(Object.keys(ACTS).sort(), Object.keys(MAKERS).sort());
  const made = Object.values(ACTS).flat();
  for (const { names, args = {}, accounts = {} } of made.flatMap(({ expected }) => expected.instructions)) {
    for (const name of names) {
      const [, roles, fields] = ROWS.get(name) ?? assert.fail(name);
      for (const role of Object.keys(accounts)) assert(roles.split(" ").includes(role), `${name}.${role}`);
      for (const path of Object.keys(args)) {
        const [field, inner] = path.split(".");
        const [, kind = ""] = fields.find(([name]) => name === field) ?? assert.fail(`${name}.${path}`);
        const shape = SHAPES[kind];
        const struct = shape !== undefined && "struct" in shape ? shape.struct : [];
        assert(inner === undefined || struct.some(([name]) => name === inner), `${name}.${path}`);
      }
    }
  }
});

test("vote__of_a_proposal__names_its_number_in_the_path_and_its_address_in_the_transaction", () => {
  const { id, expected } = acts.vote(PROPOSAL, false);
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

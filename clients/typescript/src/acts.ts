import type { paths } from "./generated/api.js";
import type { Expected, ExpectedInstruction, Wanted } from "./checks.js";
import type { Schema } from "./api.js";
import { argumentOf } from "./arguments.js";
import { NATIVE_MINT } from "./foreign.js";

/** The routes that draft a transaction. */
export type ActPath = {
  [Path in keyof paths]: paths[Path] extends {
    post: { responses: { 200: { content: { "application/json": Schema<"UnsignedAct"> } } } };
  }
    ? Path
    : never;
}[keyof paths];

/** Request body of a route, without the wallet. */
export type Body<Path extends ActPath> = paths[Path] extends {
  post: { requestBody: { content: { "application/json": infer Asked } } };
}
  ? Omit<Asked, "wallet" | "version">
  : never;

/** Faults that a renter can report of a machine. */
export type Issue = Schema<"Issue">["issue"];

/** An act for a wallet to sign: the route that drafts it, and what the draft must be. `gpuMarket.draft(act)` drafts it. */
export interface Act<Path extends ActPath = ActPath> {
  readonly path: Path;
  readonly id?: string;
  readonly body: Body<Path>;
  readonly expected: Expected;
}

/** An act of one instruction; `args` and `accounts` are what it must have. */
export function act<Path extends ActPath>(
  path: Path,
  id: string | undefined,
  body: Body<Path>,
  names: string | readonly string[],
  args: Readonly<Record<string, Wanted>> = {},
  accounts: Readonly<Record<string, string>> = {},
  ...others: readonly ExpectedInstruction[]
): Act<Path> {
  const main = { names: typeof names === "string" ? [names] : names, args, accounts };
  return { path, body, expected: { instructions: [main, ...others] }, ...(id !== undefined && { id }) };
}

const may = (...names: readonly string[]): ExpectedInstruction => ({ names, optional: true });

/** Ends a job of one's own; what is not used comes back at once. `issue` says what is wrong with the machine. */
export function stopJob(job: string, issue?: Issue) {
  const reports = issue === undefined ? [] : [may("report_issue")];
  const names = ["stop_rental", "withdraw_challenger"];
  return act("/api/jobs/{id}/stop", job, { issue: issue ?? null }, names, {}, { rental: job }, ...reports);
}

/** Buys more time, for at most `maxCost` base units of the job's `mint`. */
export function extendJob(job: string, seconds: number, maxCost: bigint, mint: string) {
  const args = { seconds: BigInt(seconds), max_deposit: { atMost: maxCost } };
  const body = { seconds, max_cost: String(maxCost) };
  const asked = act("/api/jobs/{id}/extend", job, body, "extend_rental", args, { rental: job });
  return mint === NATIVE_MINT ? { ...asked, expected: { ...asked.expected, wraps: maxCost } } : asked;
}

/** Rates a running job once, 1 to 5. */
export const rateJob = (job: string, rating: number) =>
  act("/api/jobs/{id}/rate", job, { rating }, "rate_rental", { rating: BigInt(rating) }, { rental: job });

/** Reports a fault of a job's machine without ending the job. */
export const reportIssue = (job: string, issue: Issue) =>
  act("/api/jobs/{id}/issues", job, { issue }, "report_issue", {}, { rental: job });

/** Denies that the command of a finished job had ended. */
export const contestJob = (job: string) =>
  act("/api/jobs/{id}/contest", job, {}, "contest_finish", {}, { rental: job });

/** Claims what an ended job could not refund. */
export const claimRefund = (job: string) => act("/api/jobs/{id}/refund", job, {}, "claim_refund", {}, { rental: job });

/** Takes back an order that waits for its machine. */
export const withdrawBid = (job: string) =>
  act("/api/jobs/{id}/spot/withdraw", job, {}, "withdraw_challenger", {}, { rental: job });

/** Withdraws a request. */
export const cancelRequest = (request: string) =>
  act("/api/requests/{id}/cancel", request, {}, "cancel_request", {}, { request });

/** Escrows the most that traffic and storage of a job may cost, base units of its `mint`, at the unit prices `agreed`. */
export function openCharges(
  job: string,
  cap: bigint,
  storageGb: number,
  agreed: Schema<"ListingCharges">,
  mint: string,
) {
  const args = { cap, storage_gb: BigInt(storageGb), agreed: argumentOf("Charges", agreed) };
  const body = { cap: String(cap), storage_gb: storageGb };
  const asked = act("/api/jobs/{id}/charges/open", job, body, "open_meter", args, { rental: job });
  return mint === NATIVE_MINT ? { ...asked, expected: { ...asked.expected, wraps: cap } } : asked;
}

/** Freezes the usage that is pending. */
export const disputeCharges = (job: string) => act("/api/jobs/{id}/charges/dispute", job, {}, "dispute_usage");

/** Agrees to all usage that has been reported. */
export const acceptCharges = (job: string) => act("/api/jobs/{id}/charges/accept", job, {}, "accept_usage");

/** Stakes base units of the market token. */
export const stake = (amount: bigint) =>
  act("/api/rewards/stake", undefined, { amount: String(amount) }, "stake", { amount });

/** Takes stake out of work. */
export const unstake = (amount: bigint) =>
  act("/api/rewards/unstake", undefined, { amount: String(amount) }, "unstake", { amount });

/** Takes back all stake that has cooled down. */
export const withdrawStake = () => act("/api/rewards/withdraw", undefined, {}, "withdraw_stake");

/** Takes all rewards earned in a token: a symbol or a mint. */
export const claimRewards = (token = "GPUM") => act("/api/rewards/claim", undefined, { token }, "claim");

/** Stakes the rewards that were earned in the market token. */
export const compoundRewards = () => act("/api/rewards/compound", undefined, {}, "compound");

/** Gives back the rent of an empty stake account. */
export const closeStake = () => act("/api/rewards/close", undefined, {}, "close_stake");

/** A proposal, as the API tells it. */
export type ProposalNamed = Pick<Schema<"Proposal">, "id" | "address">;

/** Votes on a proposal with one's active stake. */
export const vote = ({ id, address }: ProposalNamed, support: boolean) =>
  act("/api/governance/proposals/{id}/vote", String(id), { support }, "vote", { support }, { proposal: address });

/** Has the votes on a proposal counted. */
export const queueProposal = ({ id, address }: ProposalNamed) =>
  act("/api/governance/proposals/{id}/queue", String(id), {}, "queue_proposal", {}, { proposal: address });

/** Does what was voted for, once its timelock is over. */
export const executeProposal = ({ id, address }: ProposalNamed) =>
  act("/api/governance/proposals/{id}/execute", String(id), {}, "execute_proposal", {}, { proposal: address });

/** Takes back a proposal of one's own before its vote ends. */
export const cancelProposal = ({ id, address }: ProposalNamed) =>
  act("/api/governance/proposals/{id}/cancel", String(id), {}, "cancel_proposal", {}, { proposal: address });

/** Stops a critical proposal as the guardian. */
export const vetoProposal = ({ id, address }: ProposalNamed) =>
  act("/api/governance/proposals/{id}/veto", String(id), {}, "veto_proposal", {}, { proposal: address });

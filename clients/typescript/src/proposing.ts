import { act, type Body } from "./acts.js";
import { argumentOf } from "./arguments.js";

/** Actions that stakers can vote on. */
export type Action = Body<"/api/governance/proposals">["action"];

/** Puts an action to the vote. */
export const propose = (action: Action, title: string) =>
  act("/api/governance/proposals", undefined, { action, title }, "create_proposal", {
    action: argumentOf("Action", action),
    title,
  });

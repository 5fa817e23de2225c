import type { FeedEvent } from "gpu-market";
import { expect, it } from "vitest";
import type { Schemas } from "../../data/api";
import { noticeOf, type Lookup } from "./notices";

const look: Lookup = {
  job: async (id) => ({ id, renter: id === "mine" ? "me" : "other", gpu: "h100" }) as Schemas["Job"],
  request: async (id) => ({ id, renter: id === "mine" ? "me" : "other", gpu: "h100" }) as Schemas["MachineRequest"],
  name: (gpu) => (gpu ?? "").toUpperCase(),
};
const told = (event: string, data: Record<string, unknown>) => noticeOf({ event, data } as FeedEvent<"event">, "me", look);

it("warns the holder of a machine, and not who waits for it", async () => {
  const event = { rental: "mine", challenger: "theirs", at: 1_000, preempt_at: 1_090 };
  expect(await told("RentalPreempting", event)).toEqual({
    ...{ tag: "mine/preempting", title: "H100: a better order waits", path: "/jobs/mine" },
    body: "It gets the machine in 90 s. Save your work now.",
  });
  expect(await told("RentalPreempting", { ...event, rental: "theirs" })).toBeUndefined();
});

it("tells of ends that others have brought about", async () => {
  expect((await told("RentalClosed", { rental: "a", renter: "me", reason: "outbid" }))?.title).toBe("Your bid was outbid");
  expect((await told("RentalClosed", { rental: "a", renter: "me", reason: "expired" }))?.body).toBe("Its paid time is over.");
  expect((await told("RentalClosed", { rental: "a", renter: "me", reason: "order_unreadable" }))?.body).toBe("It ended: order unreadable.");
  expect(await told("RentalClosed", { rental: "a", renter: "me", reason: "stopped" })).toBeUndefined();
  expect(await told("RentalClosed", { rental: "a", renter: "other", reason: "expired" })).toBeUndefined();
});

it("tells whose request was matched", async () => {
  expect((await told("RequestMatched", { request: "mine", rental: "a" }))?.path).toBe("/jobs/a");
  expect(await told("RequestMatched", { request: "theirs", rental: "a" })).toBeUndefined();
  expect(await told("RentalOpened", { rental: "mine" })).toBeUndefined();
});

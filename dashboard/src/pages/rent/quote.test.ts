import { expect, test } from "vitest";
import type { Schemas } from "../../data/api";
import { bidOf, chargesOf, emptyForm, mostCeil, problems, refundFloor, rentOf, secondsOf, type Form } from "./quote";

const MACHINE = { id: "machine", spec_version: 3, max_duration: 36_000 } as Schemas["Listing"];
const FORM: Form = {
  ...{ hours: "1.5", pay: "GPUM", kind: "on-demand", image: "ubuntu", command: "" },
  ...{ ports: "8888/http, 22", env: "A=1\nB=x=y", sshKey: "", bid: "", storage: "", charges: "" },
  untilExit: false,
};

test("rentOf: the order is what was typed", () => {
  expect(rentOf(FORM, MACHINE, 7n, 6)).toEqual({
    ...{ image: "ubuntu", env: { A: "1", B: "x=y" }, listing: "machine", specVersion: 3, duration: 5_400 },
    ...{ ports: [{ port: 8888, protocol: "http" }, { port: 22, protocol: "tcp" }] },
    ...{ pay: "GPUM", kind: "on-demand", maxCost: 7n },
  });
  expect(problems(FORM, MACHINE)).toEqual({});
});

test.each([
  ["hours", ""],
  ["hours", "an hour"],
  ["hours", "-1"],
  ["hours", "11"],
  ["image", " "],
  ["ports", "1,2,3,4,5,6"],
  ["ports", "0"],
  ["ports", "70000/tcp"],
  ["ports", "22/udp"],
  ["env", "no value"],
  ["env", `${"N".repeat(129)}=1`],
  ["env", `N=${"v".repeat(1_537)}`],
  ["env", "A=1\n".repeat(3_001)],
  ["sshKey", "-----BEGIN OPENSSH PRIVATE KEY-----"],
])("problems: %s cannot be %j", (field, value) => {
  expect(Object.keys(problems({ ...FORM, [field]: value }, MACHINE))).toEqual([field]);
});

test("problems: limits themselves are within them", () => {
  const env = `${"N".repeat(128)}=${"v".repeat(1_536)}`;
  expect(problems({ ...FORM, env, hours: "10", ports: "1,2,3,4,65535" }, MACHINE)).toEqual({});
});

test("mostCeil: a hundredth above the quote, rounded up", () => {
  expect([mostCeil(100n), mostCeil(1n), mostCeil(0n)]).toEqual([101n, 2n, 0n]);
  expect(secondsOf({ ...FORM, hours: "0.5" })).toBe(1_800);
});

const CHARGING = { ...MACHINE, charges: { bandwidth_usd: 1, bandwidth_free_gb: 0, storage_usd: 1 } } as Schemas["Listing"];

test("rentOf: spot has its bid and charges their limit, on machines that have them", () => {
  const asked: Form = { ...FORM, kind: "spot", bid: "0.5", charges: "1.25", storage: "10", untilExit: true };
  expect(rentOf(asked, CHARGING, 7n, 6)).toMatchObject({ bidUsd: 500_000, maxCharges: 1_250_000n, storageGb: 10, untilExit: true });
  expect(rentOf(asked, MACHINE, 7n, 6)).not.toHaveProperty("maxCharges");
  expect(rentOf({ ...asked, kind: "reserved" }, MACHINE, 7n, 6)).not.toHaveProperty("untilExit");
  expect([bidOf({ ...asked, kind: "on-demand" }), bidOf({ ...asked, bid: "" })]).toEqual([0, 0]);
  expect(chargesOf({ ...asked, charges: "1.1234567" }, CHARGING, 6)).toBe(0n);
});

test.each([
  ["bid", { kind: "spot", bid: "much" }],
  ["hours", { kind: "reserved", hours: "9" }],
  ["storage", { storage: "1.5" }],
  ["charges", { charges: "some" }],
])("problems: %s is refused in %j", (field, changes) => {
  expect(Object.keys(problems({ ...FORM, ...changes } as Form, CHARGING))).toEqual([field]);
});

test("refundFloor: never more than comes back, and never below nothing", () => {
  expect(refundFloor(100n, 3_600n, 10, 60)).toBe(40n);
  expect(refundFloor(100n, 3_601n, 61, 60)).toBe(38n);
  expect(refundFloor(100n, 3_600n, 1_000, 60)).toBe(0n);
});

test("emptyForm: as many hours as the market's minima take", () => {
  const machine = { ...MACHINE, market_rate: { usd_per_hour: "0.19", micro_usd_per_hour: 190_000 } };
  const hours = (usd: number, seconds: number) => emptyForm(machine, usd, seconds).hours;
  expect([hours(1_000_000, 60), hours(1, 60), hours(1, 21_600)]).toEqual(["6", "1", "6"]);
});

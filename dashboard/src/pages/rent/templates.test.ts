import { expect, test } from "vitest";
import { isModel, keysIn, TEMPLATES, workloadFrom } from "./templates";

test("workloadFrom: what opens a port has a key of its own, which no other order has", () => {
  for (const template of Object.values(TEMPLATES)) {
    const [one, other] = [workloadFrom(template), workloadFrom(template)];
    expect(Boolean(one.ports)).toBe(Boolean(template.key));
    if (!template.key) continue;
    const key = keysIn(one.env)[template.key];
    expect(key).toMatch(/^[0-9a-f]{48}$/);
    expect(keysIn(other.env)[template.key]).not.toBe(key);
  }
});

test("workloadFrom: another model is served, and nothing else is run", () => {
  const vllm = TEMPLATES["vLLM"];
  if (!vllm) throw new Error("vLLM is gone");
  expect(workloadFrom(vllm, "meta/Llama-3").command).toBe("vllm serve meta/Llama-3 --host 0.0.0.0 --port 8000");
  for (const bad of ["x; rm -rf /", "meta", "a/b/c", "$(x)/y"]) {
    expect(isModel(bad)).toBe(false);
    expect(workloadFrom(vllm, bad).command).toBe(vllm.command);
  }
});

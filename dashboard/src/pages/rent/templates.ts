import { DEFAULT_IMAGE } from "gpu-market";
import type { WorkloadForm } from "./workload";

export type Workload = Pick<WorkloadForm, "image" | "command" | "ports" | "env">;

/** A workload to begin with. What it serves is open to nobody: it has a key made for the order, or no port of its own. */
export interface Template extends Workload {
  about: string;
  /** Memory of a GPU that it needs. */
  vramGb: number;
  /** Variable of the key that is made for each order; without one its server is reached through SSH only. */
  key?: string;
  /** The model that it serves, if another can be chosen. */
  model?: string;
}

const KEY_BYTES = 24;
/** Variables that hold keys, for the page of a rental to show. */
export const KEY_NAMES: readonly string[] = ["VLLM_API_KEY", "JUPYTER_TOKEN", "PASSWORD"];

/** Built-in templates. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  vLLM: {
    about: "Serve a model: OpenAI's API at a URL of yours, with a key made for it.",
    vramGb: 24,
    key: "VLLM_API_KEY",
    model: "Qwen/Qwen2.5-7B-Instruct",
    image: "vllm/vllm-openai:latest",
    command: "vllm serve Qwen/Qwen2.5-7B-Instruct --host 0.0.0.0 --port 8000",
    ports: "8000/http",
    env: "HF_TOKEN=",
  },
  Ollama: {
    about: "Many models, one at a time, through SSH at port 11434: it knows no keys.",
    vramGb: 16,
    ...{ image: "ollama/ollama:latest", command: "", ports: "", env: "OLLAMA_HOST=127.0.0.1" },
  },
  ComfyUI: {
    about: "Pictures by nodes, through SSH at port 8188: it knows no keys.",
    vramGb: 16,
    ...{ image: "yanwk/comfyui-boot:cu126-slim", command: "", ports: "", env: "" },
  },
  "PyTorch and Jupyter": {
    about: "Notebooks with PyTorch in your browser, with a token made for it.",
    vramGb: 16,
    key: "JUPYTER_TOKEN",
    ...{ image: "quay.io/jupyter/pytorch-notebook:cuda12-latest", command: "", ports: "8888/http", env: "" },
  },
  PyTorch: {
    about: "A shell with PyTorch and CUDA.",
    vramGb: 16,
    ...{ image: "pytorch/pytorch:2.8.0-cuda12.6-cudnn9-runtime", command: "sleep infinity", ports: "", env: "" },
  },
  Blender: {
    about: "Blender in your browser, with a password made for it; the user is abc.",
    vramGb: 12,
    key: "PASSWORD",
    ...{ image: "lscr.io/linuxserver/blender:latest", command: "", ports: "3000/http", env: "CUSTOM_USER=abc" },
  },
  "CUDA shell": { about: "A shell with CUDA.", vramGb: 0, image: DEFAULT_IMAGE, command: "", ports: "", env: "" },
};

const MODEL_ID = /^[\w.-]+\/[\w.-]+$/;

/** True for what can be the id of a model on Hugging Face. */
export const isModel = (text: string): boolean => MODEL_ID.test(text.trim());

/** A template's workload with a new key, serving `model` if it serves one. */
export function workloadFrom(template: Workload & Partial<Template>, model?: string | null): Workload {
  const { image, ports, key } = template;
  const command = template.model && model && isModel(model) ? template.command.replace(template.model, model.trim()) : template.command;
  const env = key ? [`${key}=${madeKey()}`, template.env].filter(Boolean).join("\n") : template.env;
  return { image, command, ports, env };
}

/** The keys among the variables of an order, by name. */
export function keysIn(env: string): Record<string, string> {
  const lines = env.split("\n").map((line): [string, string] => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  return Object.fromEntries(lines.filter(([name, value]) => KEY_NAMES.includes(name) && value));
}

function madeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
}

const KEPT = "templates";
const KEYS = "keys.";

/** Keeps an order's keys in this browser, for the page of its rental. */
export function keepKeys(job: string, env: string): void {
  const keys = keysIn(env);
  if (Object.keys(keys).length) localStorage.setItem(KEYS + job, JSON.stringify(keys));
}

/** The keys of a rental that was ordered in this browser. */
export const keysOf = (job: string): Record<string, string> =>
  JSON.parse(localStorage.getItem(KEYS + job) ?? "{}") as Record<string, string>;

/** Those that were saved in this browser. */
export const savedTemplates = (): Record<string, Workload> =>
  JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Record<string, Workload>;

/** Saves one under a name, in place of an older one. */
export function saveTemplate(name: string, { image, command, ports, env }: WorkloadForm): void {
  localStorage.setItem(KEPT, JSON.stringify({ ...savedTemplates(), [name]: { image, command, ports, env } }));
}

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Plugin } from "vite";

const ROOT = resolve(import.meta.dirname, "../..");
const RECIPE = [
  ...["index.html", "terminal.html", "package.json", "package-lock.json", "public/icon.svg", "svelte.config.js", "tsconfig.json"],
  ...["vite.config.ts", "build/manifest.ts"],
];

/** Writes manifest.json beside the built files: the SHA-256 of each, and of each source that they were built from. */
export function manifest(): Plugin {
  let out = "";
  return {
    name: "manifest",
    apply: "build",
    configResolved(config) {
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const modules = [...this.getModuleIds()].map((id) => id.replace(/^\0/, "").replace(/\?.*$/, ""));
      const recipe = RECIPE.map((name) => resolve(ROOT, "dashboard", name));
      const own = (file: string) => file.startsWith(ROOT) && !file.includes("node_modules");
      const sources = [...new Set([...modules.filter(own), ...recipe])].sort();
      const files = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(out, join(entry.parentPath, entry.name)))
        .sort();
      const text = JSON.stringify(
        {
          files: Object.fromEntries(files.map((name) => [name, sha256(resolve(out, name))])),
          sources: Object.fromEntries(sources.map((file) => [relative(ROOT, file), sha256(file)])),
        },
        null,
        2,
      );
      writeFileSync(resolve(out, "../manifest.json"), `${text}\n`);
    },
  };
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

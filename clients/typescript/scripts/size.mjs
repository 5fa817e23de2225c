// Prints what a page takes that rents, watches and shows what it signs: bytes of one minified module, gzipped.
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const contents = `export { GpuMarket, walletSigner, decodeTransaction, inStorage, stopJob } from "./src/index.ts";`;
const { outputFiles } = await build({
  stdin: { contents, resolveDir: new URL("..", import.meta.url).pathname },
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
  metafile: process.argv.includes("--inputs"),
});
console.log(gzipSync(outputFiles[0].contents, { level: 9 }).length);

import { GpuMarketError } from "./api";

/** The browser cannot make keys of Ed25519. */
export class BrowserTooOld extends GpuMarketError {
  constructor(options?: ErrorOptions) {
    super("browser_too_old", "This browser cannot make a key", "Use a newer browser, or keys of your own.", options);
  }
}

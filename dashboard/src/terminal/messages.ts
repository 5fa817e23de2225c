/** What the page tells its terminal's frame, once the frame has said that it is ready. */
export interface Opening {
  readonly url: string;
  readonly password: string;
}

/** What the frame tells the page: it listens; a shell has answered; the machine, or the network, has ended it. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly wasOpen: boolean; readonly code: number; readonly reason: string };

/** Messages from the page to its terminal's frame, once the frame is ready. */
export interface Opening {
  readonly url: string;
  readonly password: string;
}

/** Messages from the frame to the page: it listens; a shell has answered; the machine, or the network, has ended it. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly wasOpen: boolean; readonly code: number; readonly reason: string };

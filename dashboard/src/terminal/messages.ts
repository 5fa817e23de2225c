/** A shell, the output of the order's command, or the GPUs' figures. */
export type Shows = "shell" | "log" | "gpus";

/** Messages from the page to its terminal's frame, once the frame is ready. */
export interface Opening {
  readonly url: string;
  readonly password: string;
  readonly shows: Shows;
}

/** Messages from the frame to the page: it listens; a shell has answered; the machine, or the network, has ended it. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "open" }
  | { readonly kind: "closed"; readonly wasOpen: boolean; readonly code: number; readonly reason: string };

import { consent } from "../../data/consent.svelte";
import { go } from "../../router.svelte";
import { keep } from "../toasts.svelte";
import type { Notice } from "./notices";

/** Shows a notice by the browser where it may, and else on this page. */
export function tell({ tag, title, body, path }: Notice): void {
  if (!consent.isOn) {
    keep(`${title}. ${body}`, path);
    return;
  }
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      focus();
      void go(path);
      shown.close();
    };
  } catch (cause) {
    // Browsers of phones show none without a service worker.
    if (!(cause instanceof TypeError)) throw cause;
    keep(`${title}. ${body}`, path);
  }
}

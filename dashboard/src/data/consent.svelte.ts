const KEPT = "notices";
const ON = "on";

/** Consent to browser notifications about one's rentals while a page is open. */
class Consent {
  isOn = $state(localStorage.getItem(KEPT) === ON && this.isGranted);

  /** True if this browser supports notifications. */
  readonly canAsk = "Notification" in globalThis;

  get isGranted(): boolean {
    return "Notification" in globalThis && Notification.permission === "granted";
  }

  /** Asks for it: false when the browser's user says no, or has said so before. */
  async ask(): Promise<boolean> {
    this.isOn = (await Notification.requestPermission()) === "granted";
    if (this.isOn) localStorage.setItem(KEPT, ON);
    return this.isOn;
  }

  /** Tells nothing any more. */
  stop(): void {
    this.isOn = false;
    localStorage.removeItem(KEPT);
  }
}

export const consent = new Consent();

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

function kept(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

class Chosen {
  theme = $state<Theme>(kept());

  /** Shows and keeps the next one. */
  turn(): void {
    this.theme = NEXT[this.theme];
    if (this.theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, this.theme);
    this.show();
  }

  show(): void {
    if (this.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = this.theme;
  }
}

export const chosen = new Chosen();

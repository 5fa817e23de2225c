const PHONE = "(max-width: 48rem)";
/** Characters that half of a phone's line has no room for, though a browser may break them. */
const LONG = 22;

/** Stacks the rows of tables that a phone has no room for: each cell has its column's heading, and long ones a line. */
export function stacking(box: HTMLElement): () => void {
  const narrow = matchMedia(PHONE);
  const look = () => {
    box.classList.remove("stacked");
    if (!narrow.matches || box.scrollWidth <= box.clientWidth) return;
    for (const table of box.querySelectorAll("table")) label(table);
    box.classList.add("stacked");
    for (const cell of box.querySelectorAll("td")) if (cell.scrollWidth > cell.clientWidth) cell.classList.add("whole");
  };
  const content = new MutationObserver(look);
  content.observe(box, { childList: true, characterData: true, subtree: true });
  const width = new ResizeObserver(look);
  width.observe(box);
  return () => {
    content.disconnect();
    width.disconnect();
  };
}

function label(table: HTMLTableElement): void {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => (cell.querySelector(".away") ? "" : (cell.textContent?.trim() ?? "")));
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    for (const [place, cell] of [...row.cells].entries()) {
      const heading = headings[place];
      const text = cell.textContent?.trim() ?? "";
      if (heading) cell.dataset["label"] = heading;
      cell.classList.toggle("none", !text && !cell.childElementCount);
      cell.classList.toggle("whole", !text || text.length + (heading?.length ?? 0) > LONG);
    }
  }
}

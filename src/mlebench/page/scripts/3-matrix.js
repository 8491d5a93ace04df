// The matrix: facets keep the runs that match, rows without one are hidden, and groups of rows get a heading each.
const matrix = document.querySelector(".matrix table");
const facets = document.querySelector(".facets");
const heads = matrix ? all("thead .agent", matrix) : [];
const isOutcome = (cell, name) =>
  cell.classList.contains(name.replace(/ /g, "-")) || (name === "timed out" && cell.dataset.cut === "timeout");
const regroup = () => {
  for (const row of all("tr.by", matrix)) row.remove();
  const by = facets.elements.by && facets.elements.by.value;
  if (by) {
    const groups = new Map();
    for (const row of all("tbody tr:not(.in-place)", matrix)) {
      const name = row.dataset[by] || "other";
      groups.set(name, [...(groups.get(name) || []), row]);
    }
    for (const [name, rows] of groups) {
      const heading = document.createElement("tr"), cell = document.createElement("th");
      heading.className = "by";
      heading.classList.toggle("hidden", rows.every((row) => row.classList.contains("hidden")));
      cell.colSpan = 99;
      cell.scope = "rowgroup";
      cell.textContent = name;
      heading.append(cell);
      matrix.tBodies[0].append(heading, ...rows);
    }
  }
  for (const place of all("tr.in-place", matrix)) place.owner.after(place);
};
const choose = () => {
  const chosen = Object.fromEntries(new FormData(facets));
  const words = wordsOf(chosen.q || "");
  const isAny = chosen.q || chosen.outcome || chosen.category || chosen.complexity || chosen.agent || chosen.seed;
  let count = 0;
  for (const row of all("tbody tr:not(.by, .in-place)", matrix)) {
    const text = `${row.cells[0].textContent} ${row.dataset.category} ${row.dataset.complexity}`.toLowerCase();
    const fits = words.every((word) => text.includes(word))
      && (!chosen.category || row.dataset.category === chosen.category)
      && (!chosen.complexity || row.dataset.complexity === chosen.complexity);
    let found = 0;
    for (const cell of all(".cells > a", row)) {
      const matches = fits && (!chosen.outcome || isOutcome(cell, chosen.outcome))
        && (!chosen.seed || cell.dataset.s === chosen.seed)
        && (!chosen.agent || heads[Number(cell.parentElement.dataset.agent)].textContent === chosen.agent);
      cell.classList.toggle("off", !matches);
      found += matches;
    }
    row.classList.toggle("hidden", Boolean(isAny) && !found);
    count += found;
  }
  facets.querySelector("output").textContent = isAny ? `${count} of ${matrix.dataset.count} runs` : "";
  regroup();
};
const state = () => {
  const sorted = matrix && matrix.querySelector("[aria-sort]");
  return {
    run: openRun ? openRun.id.slice(4) : "",
    ...(facets ? Object.fromEntries(new FormData(facets)) : {}),
    sort: sorted ? `${placeOf(sorted)}${sorted.getAttribute("aria-sort") === "descending" ? "-" : ""}` : "",
  };
};
if (facets) {
  facets.hidden = false;
  heads.forEach((head, place) => {
    if (heads.length < 2) return;
    for (const row of all("tbody tr", matrix)) {
      const first = row.querySelector(`.cells[data-agent="${place}"]`);
      if (first) first.dataset.name = head.textContent;
    }
  });
  facets.addEventListener("submit", (event) => event.preventDefault());
  facets.addEventListener("input", () => {
    choose();
    remember(state(), true);
  });
  matrix.addEventListener("sorted", () => {
    regroup();
    remember(state(), true);
  });
}

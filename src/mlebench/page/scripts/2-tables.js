// Tables that are sorted by a click on a heading and filtered by words.

// On a narrow screen every cell stands below the other, with the name of its column.
const nameCells = (table) => {
  const names = all("thead th", table).map((heading) => heading.textContent);
  for (const row of all("tbody tr, tfoot tr", table)) {
    names.forEach((name, place) => (row.cells[place].dataset.l = name));
  }
};

// Sorting: by the value of a cell where it has one, else by its text; what is unknown comes last either way.
const valueOf = (cell) => cell.dataset.n || cell.dataset.v || cell.textContent.trim();
const numberOf = (value) => Number(value.replace("inf", "Infinity"));
const unknown = (value) => value === "" || value === "–";
const placeOf = (heading) => Number(heading.dataset.at || heading.cellIndex);
const sort = (table, heading, down) => {
  const place = placeOf(heading);
  for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = all("tbody tr:not(.by, .in-place)", table).map((row) => ({ row, value: valueOf(row.cells[place]) }));
  const isNumber = rows.every(({ value }) => unknown(value) || !Number.isNaN(numberOf(value)));
  rows.sort((a, b) => {
    if (unknown(a.value) || unknown(b.value)) return unknown(a.value) - unknown(b.value);
    const order = isNumber
      ? numberOf(a.value) - numberOf(b.value) || 0 // of two infinite ones, nothing
      : a.value.localeCompare(b.value, "en", { numeric: true });
    return down ? -order : order;
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
  for (const place of all("tr.in-place", table)) place.owner.after(place);
  table.dispatchEvent(new Event("sorted"));
};
const makeSortable = (heading) => {
  const table = heading.closest("table");
  const inMatrix = Boolean(heading.closest(".matrix"));
  const isFixed = table.classList.contains("as-is") || table.tBodies[0].rows.length < 2;
  if (isFixed || (inMatrix && !heading.dataset.at)) return;
  const press = document.createElement("button");
  press.type = "button";
  press.append(...heading.childNodes);
  press.addEventListener("click", () => {
    const now = heading.getAttribute("aria-sort");
    sort(table, heading, now ? now === "ascending" : inMatrix && heading.classList.contains("number"));
  });
  heading.append(press);
  table.classList.add("sortable");
};

// Filtering: every word must occur in a row.
const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
const filter = (items, words, status) => {
  const wanted = wordsOf(words);
  let count = 0;
  for (const item of items) {
    const text = (item.dataset.name || item.textContent).toLowerCase();
    const shown = wanted.every((word) => text.includes(word));
    item.classList.toggle("hidden", !shown);
    count += shown;
  }
  status.textContent = wanted.length ? `${count} of ${items.length}` : "";
};
const listen = (bar, items) => {
  const field = bar.querySelector("input");
  bar.hidden = false;
  field.addEventListener("input", () => filter(items, field.value, bar.querySelector("[role=status]")));
};
const searchField = (label) => {
  const bar = document.createElement("p"), field = document.createElement("input"), status = document.createElement("span");
  field.type = "search";
  field.placeholder = label;
  field.setAttribute("aria-label", label);
  status.className = "note";
  status.setAttribute("role", "status");
  bar.append(field, status);
  return { bar, field, status };
};
const equipTables = (from) => {
  all(".table table", from).forEach(nameCells);
  all("thead th", from).forEach(makeSortable);
  for (const bar of all(".table > .filter", from)) listen(bar, all("tbody tr", bar.parentElement));
  for (const charts of all("[data-filtered]", from)) {
    const figures = all("figure[data-name]", charts);
    if (figures.length < 7) continue;
    const { bar } = searchField(`Filter competitions: ${charts.dataset.filtered}`);
    bar.className = "filter";
    charts.before(bar);
    listen(bar, figures);
  }
};
equipTables(document);

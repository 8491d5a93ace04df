"use strict";
// Makes tables sortable and filterable, switches between light and dark, and opens what a link or a printer asks for.
// Everything on the page can be read without it.
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));

  // Light and dark: what the system asks for, until the reader chooses. A page opened from a file may be refused storage.
  const root = document.documentElement;
  root.classList.add("js");
  const button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = (value) => {
    try {
      return value ? localStorage.setItem("mlebench-theme", value) : localStorage.getItem("mlebench-theme");
    } catch {
      return null;
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const showTheme = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
    button.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
  };
  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored(root.dataset.theme);
    showTheme();
  });
  system.addEventListener("change", showTheme);
  showTheme();

  // On a narrow screen every cell stands below the other, with the name of its column.
  for (const table of all("table")) {
    const names = all("thead th", table).map((each) => each.textContent);
    for (const row of all("tbody tr, tfoot tr", table)) {
      names.forEach((name, place) => (row.cells[place].dataset.l = name));
    }
  }

  // Sorting: by the value of a cell where it has one, else by its text; what is unknown comes last either way.
  const valueOf = (cell) => cell.dataset.n || cell.dataset.v || cell.textContent.trim();
  const numberOf = (value) => Number(value.replace("inf", "Infinity"));
  const sort = (table, heading) => {
    const place = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows).map((row) => ({ row, value: valueOf(row.cells[place]) }));
    const unknown = (value) => value === "" || value === "–";
    const isNumber = rows.every(({ value }) => unknown(value) || !Number.isNaN(numberOf(value)));
    rows.sort((a, b) => {
      if (unknown(a.value) || unknown(b.value)) return unknown(a.value) - unknown(b.value);
      const order = isNumber
        ? numberOf(a.value) - numberOf(b.value) || 0 // of two infinite ones, nothing
        : a.value.localeCompare(b.value, "en", { numeric: true });
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows.map(({ row }) => row));
  };
  for (const heading of all("thead th")) {
    if (heading.closest("table").tBodies[0].rows.length < 2) continue;
    const press = document.createElement("button");
    press.type = "button";
    press.append(...heading.childNodes);
    press.addEventListener("click", () => sort(heading.closest("table"), heading));
    heading.append(press);
    heading.closest("table").classList.add("sortable");
  }

  // Filtering: every word must occur in a row.
  const filter = (items, words, status) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of items) {
      const text = (item.dataset.name || item.textContent).toLowerCase();
      const shown = wanted.every((word) => text.includes(word));
      item.classList.toggle("hidden", !shown);
      if (item.dataset.for) document.getElementById(item.dataset.for).classList.toggle("hidden", !shown);
      count += shown;
    }
    status.textContent = wanted.length ? `${count} of ${items.length}` : "";
  };
  const listen = (bar, items) => {
    const field = bar.querySelector("input");
    bar.hidden = false;
    field.addEventListener("input", () => filter(items, field.value, bar.querySelector("[role=status]")));
  };
  for (const bar of all(".table > .filter")) listen(bar, all("tbody tr", bar.parentElement));
  for (const charts of all("[data-filtered]")) {
    const figures = all("figure[data-name]", charts);
    if (figures.length < 7) continue;
    const bar = document.createElement("p");
    bar.className = "filter";
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter competitions";
    field.setAttribute("aria-label", `Filter competitions: ${charts.dataset.filtered}`);
    const status = document.createElement("span");
    status.className = "note";
    status.setAttribute("role", "status");
    bar.append(field, status);
    charts.before(bar);
    listen(bar, figures);
  }

  // A link to a run opens it, also when its filter hides it.
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || target.tagName !== "DETAILS") return;
    target.classList.remove("hidden");
    target.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  for (const link of all('a[href^="#run-"]')) {
    link.addEventListener("click", () => {
      if (link.getAttribute("href") === location.hash) open();
    });
  }
  open();

  // What is folded away on a screen and short enough for paper is printed; a run is printed if it is open.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = all("details.print:not([open]), figcaption details:not([open])");
    for (const each of opened) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
})();

// A run opens below the row that it was chosen in, else below its row in the matrix.
let openRun = null;
const CODE = new RegExp(
  [
    "(#[^\\n]*)",
    "(\"\"\"[\\s\\S]*?\"\"\"|'''[\\s\\S]*?'''|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*')",
    "\\b(\\d[\\w.]*)\\b",
    "\\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|if|import|in|is|lambda|None|not|or|pass|raise|return|True|try|while|with|yield|do|done|then|fi)\\b",
  ].join("|"),
  "g",
);
const highlight = (source) => {
  const text = source.textContent, parts = [];
  let at = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > at) parts.push(text.slice(at, match.index));
    const span = document.createElement("span");
    span.className = match[1] ? "c" : match[2] ? "s" : match[3] ? "n" : "k";
    span.textContent = match[0];
    parts.push(span);
    at = match.index + match[0].length;
  }
  source.replaceChildren(...parts, text.slice(at));
};
const searchLog = (details) => {
  const pre = details.querySelector("pre");
  const text = pre.textContent, lines = text.split("\n");
  const { bar, field, status } = searchField("Search this log");
  bar.className = "find";
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    status.textContent = "";
    if (!wanted) {
      pre.textContent = text;
      return;
    }
    const found = lines.map((line, place) => [place + 1, line]).filter(([, line]) => line.toLowerCase().includes(wanted));
    status.textContent = `${found.length} of ${lines.length} lines`;
    pre.replaceChildren(...found.slice(0, 500).flatMap(([number, line]) => {
      const at = line.toLowerCase().indexOf(wanted), mark = document.createElement("mark");
      mark.textContent = line.slice(at, at + wanted.length);
      return [`${number}: ${line.slice(0, at)}`, mark, `${line.slice(at + wanted.length)}\n`];
    }));
  });
  pre.before(bar);
};
const copyButton = (place) => {
  const button = document.createElement("button"), code = place.querySelector("code");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code); // to be copied by hand
    }
  });
  place.append(" ", button);
};
const equipRun = (run) => {
  if (run.dataset.ready) return;
  run.dataset.ready = "yes";
  all(".source", run).forEach(highlight);
  all("details.log", run).forEach(searchLog);
  all(".replay", run).forEach(copyButton);
};
const closeRun = () => {
  if (!openRun) return;
  openRun.classList.remove("shown");
  document.querySelector(".runs").append(openRun);
  for (const place of all("tr.in-place")) place.remove();
  for (const cell of all(".cells a.open")) cell.classList.remove("open");
  openRun = null;
};
const linkTo = (run, from) => all("a[href]", from).find((link) => link.getAttribute("href") === `#${run.id}`);
const openAt = (run, row) => {
  closeRun();
  openRun = run;
  equipRun(run);
  const link = matrix && linkTo(run, matrix);
  const owner = row || (link && link.closest("tr"));
  if (link) link.classList.add("open");
  if (owner) {
    const place = document.createElement("tr"), cell = document.createElement("td");
    place.className = "in-place";
    place.owner = owner;
    cell.colSpan = 99;
    cell.append(run);
    place.append(cell);
    owner.classList.remove("hidden");
    owner.after(place);
  }
  run.classList.add("shown");
};
document.addEventListener("click", (event) => {
  const dot = event.target.closest && event.target.closest("[data-run]"); // of a chart; a keyboard has the matrix
  if (dot) {
    const run = document.getElementById(dot.dataset.run);
    openAt(run);
    run.scrollIntoView({ block: "start" });
    remember(state());
    return;
  }
  const link = event.target.closest && event.target.closest("a");
  const href = link && link.getAttribute("href");
  if (!href) return;
  if (link.classList.contains("close") && openRun) {
    event.preventDefault();
    const from = linkTo(openRun, document.querySelector(".matrix") || document);
    closeRun();
    remember(state());
    if (from) from.focus();
  } else if (href.startsWith("#run=")) {
    event.preventDefault();
    const run = document.getElementById(href.slice(1));
    if (run === openRun && link.closest(".matrix")) closeRun();
    else {
      openAt(run, link.closest("tbody tr"));
      run.focus({ preventScroll: true });
      (link.closest("tbody tr") || run).scrollIntoView({ block: "nearest" });
    }
    remember(state());
  }
});
const restore = () => {
  const values = address();
  if (facets) {
    for (const field of facets.elements) if (field.name) field.value = values.get(field.name) || "";
    const wanted = values.get("sort") || "";
    const heading = all("thead th[data-at]", matrix).find((one) => one.dataset.at === wanted.replace("-", ""));
    if (wanted && heading) sort(matrix, heading, wanted.endsWith("-"));
    choose();
  }
  const run = values.has("run") && document.getElementById(`run=${values.get("run")}`);
  if (!run) closeRun();
  else if (run !== openRun) {
    openAt(run);
    run.scrollIntoView({ block: "start" });
  }
};
window.addEventListener("hashchange", restore);
window.addEventListener("popstate", restore);
restore();

// What is folded away on a screen and short enough for paper is printed; a run is printed if it is open.
let openedForPrint = [];
window.addEventListener("beforeprint", () => {
  openedForPrint = all("details.print:not([open]), figcaption details:not([open])");
  for (const details of openedForPrint) details.open = true;
});
window.addEventListener("afterprint", () => {
  for (const details of openedForPrint) details.open = false;
});

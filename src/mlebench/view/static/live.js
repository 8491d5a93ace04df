// What is live: where a group stands, its summary, its matrix and its runs, and a log that grows. All that arrives is
// text, but for the summary, which is drawn and escaped as the whole page is.
const byId = (id) => document.getElementById(id);
const now = byId("now");
const setState = (chip, value) => {
  chip.className = "state";
  chip.classList.add(value.status);
  if (value.state === "waiting") chip.classList.add("planned");
  chip.textContent = value.state;
};
if (now) {
  const body = byId("board").tBodies[0], show = byId("show"), find = byId("find"), sample = byId("row").content;
  const rows = new Map(all("tr[data-live]", body).map((row) => [row.dataset.live, row]));
  const total = byId("ended").max, LEAVES = 8000; // milliseconds that a row stays after it no longer fits
  // As the server chooses rows.
  const fits = ({ status, state }) => {
    const isWaiting = state === "waiting";
    const isBad = !["planned", "running", "success"].includes(status);
    return { now: status === "running" || isBad, running: status === "running" && !isWaiting, planned: isWaiting,
      ended: !["planned", "running"].includes(status), bad: isBad }[show.value] ?? true;
  };
  const count = () => {
    const shown = all("tr", body).filter((row) => !row.hidden).length;
    byId("found").textContent = `${shown} of ${total}`;
    byId("none").hidden = shown > 0;
  };
  const search = (row) => (row.hidden = !row.textContent.toLowerCase().includes(find.value.toLowerCase()));
  show.addEventListener("change", () => show.form.requestSubmit());
  find.addEventListener("input", () => {
    rows.forEach(search);
    count();
  });
  const meter = (cell, share, text) => {
    const bar = cell.querySelector("meter");
    bar.hidden = share === null;
    bar.value = share ?? 0;
    bar.setAttribute("aria-label", text);
    cell.querySelector("span").textContent = text;
  };
  const create = (value) => {
    const row = sample.firstElementChild.cloneNode(true), link = row.querySelector("a");
    row.dataset.live = value.run;
    link.href = now.dataset.group + encodeURIComponent(value.run);
    link.textContent = value.competition;
    row.cells[1].textContent = value.seed;
    rows.set(value.run, row);
    return row;
  };
  // As the server orders rows: what is under way first, then what ended badly.
  const place = (row, rank) => {
    row.dataset.rank = rank;
    const next = all("tr", body).find((other) => other !== row && Number(other.dataset.rank) > rank);
    body.insertBefore(row, next || null);
  };
  const updateRow = (value) => {
    let row = rows.get(value.run);
    if (!row && !fits(value)) return;
    row = row || create(value);
    setState(row.cells[2].querySelector(".state"), value);
    if (row.dataset.status !== value.status) {
      row.dataset.status = value.status;
      place(row, value.rank);
      row.classList.add("fresh");
      setTimeout(() => row.classList.remove("fresh"), 4000);
    }
    row.cells[2].querySelector(".note").textContent = value.about;
    meter(row.cells[3], value.time_share, value.time);
    meter(row.cells[4], value.memory_share, value.memory);
    row.cells[5].firstElementChild.textContent = value.submission;
    row.cells[5].lastElementChild.textContent = value.score;
    row.cells[6].textContent = value.line;
    search(row);
    row.value = value;
    if (!fits(value)) {
      setTimeout(() => {
        if (fits(row.value)) return;
        row.remove();
        rows.delete(value.run);
        count();
      }, LEAVES);
    }
  };

  const cells = new Map(matrix ? all(".cells > a", matrix).map((cell) => [cell.getAttribute("href"), cell]) : []);
  const updateCell = ([address, value]) => {
    const cell = cells.get(address);
    if (!cell) return;
    const isOff = cell.classList.contains("off");
    cell.className = value.classes;
    cell.classList.toggle("off", isOff);
    cell.dataset.x = value.values;
    if (value.cut) cell.dataset.cut = value.cut;
    else delete cell.dataset.cut;
    const [short, words] = [cell.querySelector("i"), cell.querySelector("span")];
    const mark = cell.querySelector("b") || document.createElement("b");
    mark.setAttribute("aria-hidden", "true");
    mark.textContent = value.mark;
    if (value.mark) cell.prepend(mark);
    else mark.remove();
    short.textContent = value.short;
    words.textContent = value.words;
  };
  const means = new Map(matrix ? all("tbody tr:not(.by)", matrix).map((row) => [row.cells[0].textContent, row]) : []);
  const updateMean = ([competition, value]) => {
    const row = means.get(competition), cell = row && row.querySelector("td[data-n]");
    if (!cell) return;
    cell.dataset.n = value;
    cell.textContent = value ? Number(value).toFixed(1) : "–";
  };

  // The summary is replaced as a whole; what is open stays open, and nothing is taken from under the keyboard.
  const summary = byId("live-summary");
  let waiting = null;
  const updateSummary = (html) => {
    if (summary.contains(document.activeElement)) {
      waiting = html;
      return;
    }
    waiting = null;
    const open = all("details", summary).map((details) => details.open);
    summary.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    all("details", summary).forEach((details, place) => (details.open = Boolean(open[place])));
    equipTables(summary);
  };
  summary.addEventListener("focusout", () => setTimeout(() => waiting && updateSummary(waiting)));

  const news = new EventSource(now.dataset.events);
  news.onmessage = (event) => {
    const value = JSON.parse(event.data);
    byId("connection").textContent = "";
    if (byId("sentence").textContent !== value.sentence) byId("sentence").textContent = value.sentence;
    byId("left").textContent = value.left;
    byId("ended").value = value.ended;
    byId("counts").replaceChildren(...Object.entries(value.counts).flatMap(([status, words]) => {
      const chip = document.createElement("span");
      setState(chip, { status, state: words });
      return [chip, " "];
    }));
    value.rows.forEach(updateRow);
    count();
    if (value.notices) {
      byId("notices").replaceChildren(...value.notices.map((notice) => {
        const line = document.createElement("li");
        line.textContent = notice;
        return line;
      }));
      byId("notices").hidden = !value.notices.length;
    }
    if (value.summary) updateSummary(value.summary);
    Object.entries(value.cells).forEach(updateCell);
    Object.entries(value.means).forEach(updateMean);
    if (Object.keys(value.cells).length && facets) choose();
  };
  news.onerror = () => {
    byId("connection").textContent = news.readyState === EventSource.CLOSED ? "The view has ended." : "Trying to reach the view again …";
  };
  news.addEventListener("gone", (event) => {
    byId("sentence").textContent = JSON.parse(event.data);
    news.close();
  });
}

const one = byId("one");
if (one && ["planned", "running"].includes(one.dataset.status)) {
  const news = new EventSource(one.dataset.events);
  news.onmessage = (event) => {
    for (const value of JSON.parse(event.data).rows) {
      setState(one.querySelector(".state"), value);
      byId("about").textContent = value.about;
      for (const name of ["time", "memory", "submission", "score"]) byId(name).textContent = value[name] || "–";
      byId("ended-now").hidden = ["planned", "running"].includes(value.status);
    }
  };
  news.addEventListener("gone", () => news.close());
}

const log = byId("log");
if (log) {
  const MOST = 2000000; // characters that a tab keeps
  const ask = async (from, to) => (await fetch(`?log=${from}${to ? `&to=${to}` : ""}`)).json();
  log.scrollTop = log.scrollHeight;
  const tail = async () => {
    try {
      const piece = await ask(log.dataset.end);
      if (piece.size < Number(log.dataset.end)) log.textContent = ""; // it was begun again
      if (piece.text) {
        const isAtEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 40;
        log.append(piece.text);
        log.normalize();
        if (log.textContent.length > MOST) log.textContent = log.textContent.slice(-MOST / 2);
        if (isAtEnd) log.scrollTop = log.scrollHeight;
      }
      log.dataset.end = piece.end;
    } catch {
      // The view is away for a moment.
    }
    setTimeout(tail, 1500);
  };
  if (!log.dataset.ended) tail();
  const earlier = byId("earlier");
  const offer = () => (earlier.hidden = Number(log.dataset.start) === 0);
  earlier.addEventListener("click", async () => {
    const start = Math.max(0, Number(log.dataset.start) - 60000);
    const piece = await ask(start, log.dataset.start);
    const height = log.scrollHeight;
    log.prepend(piece.text);
    log.dataset.start = piece.start;
    log.scrollTop += log.scrollHeight - height;
    offer();
  });
  offer();
}

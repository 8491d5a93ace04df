"use strict";
// What is live: rows of a group that change, and a log that grows. Everything that arrives is text, never markup.
{
  const live = document.getElementById("live");
  const byId = (id) => document.getElementById(id);
  if (live) {
    const rows = new Map(Array.from(live.querySelectorAll("tr[data-run]"), (row) => [row.dataset.run, row]));
    const show = byId("show"), find = byId("find");
    const apply = (row) => {
      const status = row.dataset.status, isOpen = status === "running" || status === "planned";
      const fits = !show.value || show.value === status || (show.value === "ended" && !isOpen)
        || (show.value === "bad" && !isOpen && status !== "success");
      row.hidden = !fits || !row.textContent.toLowerCase().includes(find.value.toLowerCase());
    };
    const applyAll = () => rows.forEach(apply);
    show.addEventListener("input", applyAll);
    find.addEventListener("input", applyAll);
    const meter = (cell, share, text) => {
      let bar = cell.querySelector("meter");
      if (share !== null && !bar) {
        bar = document.createElement("meter");
        Object.assign(bar, { min: 0, max: 100, high: 90 });
        cell.prepend(bar, " ");
      }
      if (bar && share !== null) {
        bar.value = share;
        bar.setAttribute("aria-label", text);
      }
      cell.querySelector("span").textContent = text;
    };
    const update = (value) => {
      const row = rows.get(value.run);
      if (!row) return;
      const state = row.cells[2].querySelector(".state");
      state.className = "state";
      state.classList.add(value.state === "waiting" ? "planned" : value.status);
      if (row.dataset.status !== value.status) {
        row.dataset.status = value.status;
        row.classList.add("fresh");
        setTimeout(() => row.classList.remove("fresh"), 4000);
      }
      state.textContent = value.state;
      row.cells[2].querySelector(".note").textContent = value.about;
      meter(row.cells[3], value.time_share, value.time);
      meter(row.cells[4], value.memory_share, value.memory);
      row.cells[5].textContent = value.score ? `${value.submission} ${value.score}` : value.submission;
      row.cells[6].textContent = value.line;
      apply(row);
    };
    const news = new EventSource(live.dataset.events);
    news.onmessage = (event) => {
      const now = JSON.parse(event.data);
      byId("sentence").textContent = now.sentence;
      byId("left").textContent = now.left;
      byId("connection").textContent = "";
      byId("counts").replaceChildren(...Object.entries(now.counts).flatMap(([status, count]) => {
        const chip = document.createElement("span");
        chip.className = "state";
        chip.classList.add(status);
        chip.textContent = `${count} ${status}`;
        return [chip, " "];
      }));
      now.rows.forEach(update);
    };
    news.onerror = () => {
      byId("connection").textContent = news.readyState === EventSource.CLOSED ? "The view has ended." : "Trying to reach the view again …";
    };
    news.addEventListener("gone", (event) => {
      byId("sentence").textContent = JSON.parse(event.data);
      news.close();
    });
  }

  const log = byId("log");
  if (log) {
    const MOST = 2000000; // characters that a tab keeps
    const ask = async (from) => (await fetch(`?log=${from}`)).json();
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
      const piece = await ask(start);
      const height = log.scrollHeight;
      log.prepend(piece.text.slice(0, Math.max(0, piece.text.length)));
      log.dataset.start = start;
      log.scrollTop += log.scrollHeight - height;
      offer();
    });
    offer();
  }
}

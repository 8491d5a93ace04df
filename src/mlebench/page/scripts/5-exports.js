// Exports: all runs as CSV; the matrix as it is shown now as SVG or PNG, on white.
const save = (name, content) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
// A spreadsheet must not take a text for a formula.
const csvField = (text) => {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};
const csv = () => {
  const lines = ["competition,category,complexity,agent,seed,outcome,score,percentile,seconds,memory_bytes".split(",")];
  for (const cell of all(".cells > a", matrix)) {
    const row = cell.closest("tr"), agent = heads[Number(cell.parentElement.dataset.agent)].textContent;
    const outcome = cell.querySelector("span").textContent.split(", ")[1];
    const { category, complexity } = row.dataset;
    lines.push([row.cells[0].textContent, category, complexity, agent, cell.dataset.s, outcome, ...cell.dataset.x.split(";")]);
  }
  return lines.map((line) => line.map(csvField).join(",")).join("\r\n") + "\r\n";
};
// What the matrix shows now, as boxes and texts.
const layout = () => {
  const theme = root.dataset.theme;
  root.dataset.theme = "light";
  const boxes = [], texts = [], width = 46, height = 20, left = 320;
  const start = (place) => left + heads.slice(0, place).reduce((sum, head) => sum + (head.colSpan - 1) * width + 54, 0);
  heads.forEach((head, place) => texts.push({ x: start(place), y: 14, text: head.textContent, bold: true }));
  let y = 24;
  for (const row of all("tbody tr:not(.hidden, .in-place)", matrix)) {
    const isHeading = row.classList.contains("by");
    texts.push({ x: 8, y: y + 14, text: row.cells[0].textContent, bold: isHeading });
    heads.forEach((_, place) => {
      const own = isHeading ? [] : all(`.cells[data-agent="${place}"]`, row);
      own.forEach((cell, seed) => {
        const link = cell.querySelector("a:not(.off)");
        if (!link) return;
        const style = getComputedStyle(link), x = start(place) + seed * width;
        const text = all("b, i", link).map((part) => part.textContent).join(" ").trim();
        boxes.push({ x, y: y + 1, width: width - 3, height: height - 3, fill: style.backgroundColor, stroke: style.borderTopColor });
        texts.push({ x: x + (width - 3) / 2, y: y + 14, text, fill: style.color, middle: true });
      });
      const mean = own.length && own[own.length - 1].nextElementSibling;
      if (mean) texts.push({ x: start(place) + own.length * width + 4, y: y + 14, text: mean.textContent });
    });
    y += height;
  }
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  return { boxes, texts, width: start(heads.length) + 8, height: y + 8 };
};
const svg = () => {
  const { boxes, texts, width, height } = layout();
  const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const space = ["http:", "", "www.w3.org", "2000", "svg"].join("/");
  const drawn = [
    ...boxes.map((box) => `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" rx="3" fill="${box.fill}" stroke="${box.stroke}"/>`),
    ...texts.map((one) => `<text x="${one.x}" y="${one.y}"${one.middle ? ' text-anchor="middle"' : ""}${one.bold ? ' font-weight="bold"' : ""} fill="${one.fill || "#17202b"}">${escape(one.text)}</text>`),
  ];
  return `<svg xmlns="${space}" width="${width}" height="${height}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>${drawn.join("")}</svg>`;
};
const png = () => {
  const { boxes, texts, width, height } = layout(), scale = Math.min(2, 16000 / height);
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  for (const box of boxes) {
    pen.fillStyle = box.fill;
    pen.fillRect(box.x, box.y, box.width, box.height);
    pen.strokeStyle = box.stroke;
    pen.strokeRect(box.x, box.y, box.width, box.height);
  }
  for (const one of texts) {
    pen.font = `${one.bold ? "bold " : ""}11px sans-serif`;
    pen.fillStyle = one.fill || "#17202b";
    pen.textAlign = one.middle ? "center" : "left";
    pen.fillText(one.text, one.x, one.y);
  }
  return canvas;
};
for (const press of all("[data-export]")) {
  press.addEventListener("click", () => {
    if (press.dataset.export === "csv") save("runs.csv", new Blob(["\ufeff", csv()], { type: "text/csv" }));
    if (press.dataset.export === "svg") save("matrix.svg", new Blob([svg()], { type: "image/svg+xml" }));
    if (press.dataset.export === "png") png().toBlob((made) => save("matrix.png", made), "image/png");
  });
}

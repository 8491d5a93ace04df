// Compares submissions with kernels by Dolos: a request as JSON on standard input, similarities as JSON on standard output.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";

const request = JSON.parse(readFileSync(0, "utf8"));
const places = [...request.search, process.cwd()];
let entry = null;
for (const place of places) {
  try {
    entry = createRequire(pathToFileURL(place + "/package.json")).resolve("@dodona/dolos-lib");
    break;
  } catch {
    continue;
  }
}
if (entry === null) {
  console.error("dolos-lib not found");
  process.exit(3);
}
const { Dolos } = await import(pathToFileURL(entry));
if (request.only_check) {
  console.log(JSON.stringify({ found: entry }));
  process.exit(0);
}
const dolos = new Dolos({ language: request.language });
const paths = [...request.submissions, ...request.kernels];
const report = await dolos.analyzePaths(paths);
const files = new Map(report.files.map((file) => [file.file.path, file]));
const result = request.submissions.map((left) =>
  request.kernels.map((right) => report.getPair(files.get(left), files.get(right)).similarity),
);
console.log(JSON.stringify({ similarities: result }));

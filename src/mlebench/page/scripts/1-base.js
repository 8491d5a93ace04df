// What the other parts use, and light and dark. Everything on the page can be read without a script.
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));

// Light and dark: what the system asks for, until the reader chooses. A page opened from a file may be refused storage.
const root = document.documentElement;
root.classList.add("js");
const themeButton = document.getElementById("theme");
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
  themeButton.textContent = isDark() ? "Light" : "Dark";
  themeButton.setAttribute("aria-pressed", String(isDark()));
  themeButton.setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
};
const chosenTheme = stored();
if (chosenTheme === "light" || chosenTheme === "dark") root.dataset.theme = chosenTheme;
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  stored(root.dataset.theme);
  showTheme();
});
system.addEventListener("change", showTheme);
showTheme();

// The address: which run is open, and what was chosen in the matrix.
const address = () => new URLSearchParams(location.hash.slice(1));
const encode = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%20/g, "+");
const remember = (values, replace) => {
  const parts = Object.entries(values).filter(([, value]) => value);
  const hash = parts.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  if (location.hash.slice(1) === hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", hash ? `#${hash}` : location.pathname + location.search);
};

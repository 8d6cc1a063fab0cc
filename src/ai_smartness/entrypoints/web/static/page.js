// Keyboard, notices and reloading: what every page shares. htmx does the rest.
"use strict";

const itemSelector = "[data-item]";

function items() {
  return [...document.querySelectorAll(itemSelector)].filter((item) => item.offsetParent !== null);
}

function selectedItem() {
  return document.activeElement && document.activeElement.closest(itemSelector);
}

function moveBy(step) {
  const all = items();
  if (!all.length) return;
  const place = all.indexOf(selectedItem());
  const next = place < 0 ? (step > 0 ? 0 : all.length - 1) : place + step;
  const item = all[Math.max(0, Math.min(all.length - 1, next))];
  item.focus();
  item.scrollIntoView({ block: "nearest" });
}

function undo() {
  const item = selectedItem();
  const button = (item && item.querySelector(".undo")) || document.querySelector("#notice .undo");
  if (!button) return;
  // A notice that came just now may not be known to htmx yet; the form would load a whole page.
  if (window.htmx) window.htmx.process(button.closest("form") || button);
  button.click();
}

function search() {
  const field = document.querySelector("[data-search]");
  if (field) { field.focus(); field.select(); return; }
  const link = document.querySelector("[data-search-page]");
  if (link) location.assign(`${link.href}#q`);
}

function openSelected() {
  const item = selectedItem();
  if (!item || document.activeElement !== item) return false;
  const details = item.matches("details") ? item : item.querySelector("details");
  if (details) { details.open = !details.open; return true; }
  const link = item.querySelector("a");
  if (link) { link.click(); return true; }
  return false;
}

function showKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog.open) dialog.showModal();
}

const keys = {
  "j": () => moveBy(1),
  "k": () => moveBy(-1),
  "u": undo,
  "/": search,
  "?": showKeys,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "Enter" && openSelected()) { event.preventDefault(); return; }
  if (event.key >= "1" && event.key <= "9") {
    const link = document.querySelectorAll(".pages a")[Number(event.key) - 1];
    if (link) link.click();
    return;
  }
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("#show-keys")) showKeys();
  if (event.target.closest("[data-close]")) event.target.closest(".notice").remove();
  const switcher = document.getElementById("switcher");
  if (switcher.open && !event.target.closest("#switcher")) switcher.open = false;
});

// After a change the page shows something old: load its content again, and keep what was open.
async function reload(selected = selectedItem()) {
  const open = [...document.querySelectorAll("#content details[open][id]")].map((one) => one.id);
  const focused = selected && selected.id;
  await htmx.ajax("GET", location.pathname + location.search, {
    target: "#content", select: "#content", swap: "outerHTML",
  });
  for (const id of open) {
    const details = document.getElementById(id);
    if (details) details.open = true;
  }
  const again = focused && document.getElementById(focused);
  if (again) again.focus({ preventScroll: true });
}

// Until then nothing can be typed or pressed that would be lost with the old content.
document.addEventListener("ais-changed", async () => {
  const selected = selectedItem();
  document.getElementById("content").inert = true;
  try {
    await reload(selected);
  } finally {
    document.getElementById("content").inert = false;
  }
});

// While an agent works, its turns appear by themselves.
function followLive() {
  const mark = document.querySelector("[data-live]");
  if (!mark) return;
  const source = new EventSource(mark.dataset.live);
  source.addEventListener("turn", async () => {
    const known = new Set(items().map((item) => item.id));
    await reload();
    for (const item of items()) if (!known.has(item.id)) item.classList.add("fresh");
  });
}

if (location.hash === "#q") search();
followLive();

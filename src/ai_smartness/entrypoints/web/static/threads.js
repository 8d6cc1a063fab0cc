// The slider of a thread's past, and the choice of messages with the mouse.
"use strict";

document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-moments]");
  if (!slider) return;
  const moments = slider.dataset.moments.split("|");
  const isNow = Number(slider.value) === moments.length - 1;
  document.getElementById("moment").textContent = isNow ? "now" : moments[slider.value] + " UTC";
});

// Painting: the first message decides whether the brush is used or taken off.
let painted = null;

function brush() {
  return Number(document.querySelector("input[name=brush]:checked").value);
}

function putOn(choice, number) {
  const select = choice.querySelector("select");
  select.selectedIndex = number;
  colour(choice);
}

function colour(choice) {
  choice.className = "choice part-" + choice.querySelector("select").selectedIndex;
}

document.addEventListener("pointerdown", (event) => {
  const choice = event.target.closest("[data-choice]");
  if (!choice || event.button || event.target.closest("select")) return;
  const isOn = choice.querySelector("select").selectedIndex === brush();
  painted = isOn ? 0 : brush();
  putOn(choice, painted);
  if (event.target.hasPointerCapture && event.target.hasPointerCapture(event.pointerId)) {
    event.target.releasePointerCapture(event.pointerId);
  }
});

document.addEventListener("pointerover", (event) => {
  const choice = painted !== null && event.pointerType === "mouse" && event.target.closest("[data-choice]");
  if (choice) putOn(choice, painted);
});

document.addEventListener("pointerup", () => { painted = null; });

document.addEventListener("change", (event) => {
  const choice = event.target.closest("[data-choice]");
  if (choice) colour(choice);
});

// A preview appears where it can be seen, and Enter carries it out.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id !== "preview") return;
  event.target.scrollIntoView({ block: "nearest" });
  const button = event.target.querySelector("button");
  if (button) button.focus();
});

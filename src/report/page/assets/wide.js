// Content wider than the screen must be reachable by keyboard, to be scrolled. No other content is in the tab order.
function markWide() {
  const all = [...document.querySelectorAll(".scroll, pre")], wide = all.map((one) => one.scrollWidth > one.clientWidth);
  all.forEach((one, i) => { if (wide[i]) one.tabIndex = 0; else one.removeAttribute("tabindex"); });
}
// Once for all that is folded in a frame.
let markPlanned = 0;
function markSoon() {
  cancelAnimationFrame(markPlanned);
  markPlanned = requestAnimationFrame(markWide);
}
addEventListener("load", markSoon);
addEventListener("resize", markSoon);
document.querySelectorAll("details").forEach((details) => details.addEventListener("toggle", markSoon));

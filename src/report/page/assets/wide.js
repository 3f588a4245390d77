// Content wider than the screen must be reachable by keyboard, to be scrolled. No other content is in the tab order.
function markWide() {
  const all = [...document.querySelectorAll(".scroll, pre")], wide = all.map((one) => one.scrollWidth > one.clientWidth);
  all.forEach((one, i) => { if (wide[i]) one.tabIndex = 0; else one.removeAttribute("tabindex"); });
}
addEventListener("load", markWide);
addEventListener("resize", markWide);
document.querySelectorAll("details").forEach((details) => details.addEventListener("toggle", markWide));

// Actions that wait until their element is scrolled into view. A page of a hundred results has hundreds of plots: each
// costs milliseconds and a canvas, and few are viewed. Printing, and the request for all plots, runs all actions at
// once. A drawn plot moves the content below it. So nothing is drawn while a mouse button is held: otherwise the target
// of a click would move before the release, and the click would be lost.
const waitingFor = new Map(), reached = new Set();
let held = false;

function forget(element) {
  waitingFor.delete(element);
  reached.delete(element);
  nearby.unobserve(element);
}

function doNow(element) {
  const action = waitingFor.get(element);
  forget(element);
  if (action) action();
}

const doReached = () => { if (!held) [...reached].forEach(doNow); };

const nearby = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) reached[isIntersecting ? "add" : "delete"](target);
  doReached();
}, { rootMargin: "300px" });

// The click event follows the release.
function released() {
  held = false;
  setTimeout(doReached, 0);
}
addEventListener("pointerdown", () => { held = true; }, true);
for (const over of ["pointerup", "pointercancel"]) addEventListener(over, released, true);
addEventListener("blur", (event) => { if (event.target === window) released(); });

function whenNear(element, action) {
  waitingFor.set(element, action);
  nearby.observe(element);
}

// An action may add waiting elements.
function doAll() {
  while (waitingFor.size) [...waitingFor.keys()].forEach(doNow);
}

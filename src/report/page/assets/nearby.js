// What waits until it is scrolled to. A page of a hundred results has hundreds of plots: each costs milliseconds and a canvas of its own, and few are looked at. Paper, and whoever
// asks for all, has them at once. What is drawn pushes down what is below it: while a button of the mouse is held nothing is, or a button of the page would not be where it was
// pressed when it is let go, and the click would be lost.
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

// The click comes behind the release.
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

// What is done may make others wait.
function doAll() {
  while (waitingFor.size) [...waitingFor.keys()].forEach(doNow);
}

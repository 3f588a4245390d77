// What waits until it is scrolled to. A page of a hundred results has hundreds of plots: each costs milliseconds and a canvas of its own, and few are looked at. Paper, and whoever
// asks for all, has them at once.
const waitingFor = new Map();

function doNow(element) {
  const action = waitingFor.get(element);
  waitingFor.delete(element);
  nearby.unobserve(element);
  if (action) action();
}

const nearby = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => doNow(entry.target)), { rootMargin: "300px" });

function whenNear(element, action) {
  waitingFor.set(element, action);
  nearby.observe(element);
}

// What is done may make others wait.
function doAll() {
  while (waitingFor.size) [...waitingFor.keys()].forEach(doNow);
}

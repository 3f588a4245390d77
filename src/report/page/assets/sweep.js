// Plots of a sweep (fathom sweep): latency against requested load, with the limit, the two loads between which it is
// crossed, and the knee.
const loadPoints = (curve) => (curve.points || []).filter((point) => point.load > 0 && point.numbers && point.numbers.length).sort((a, b) => a.load - b.load);

// One point per load. If there are several, the last with the most runs counts.
function curveLines({ sweep, curve }) {
  const names = [...new Set(loadPoints(curve).flatMap((point) => point.numbers.filter((number) => number.unit === "ns").map((number) => number.name)))];
  names.sort((a, b) => Number(b === sweep.latency) - Number(a === sweep.latency));
  return names.map((name, of) => {
    const by = new Map();
    for (const point of loadPoints(curve)) {
      const number = point.numbers.find((one) => one.name === name && one.typical > 0), before = by.get(point.load);
      if (number && (!before || point.runs >= before.runs)) by.set(point.load, { number, runs: point.runs });
    }
    const all = [...by.values()].map((one) => one.number);
    return { name, of, x: [...by.keys()], y: all.map((number) => number.typical), low: all.map((number) => number.low), high: all.map((number) => number.high) };
  });
}

function curveMarks({ sweep, curve }) {
  const out = [], { bracket, knee } = curve;
  if (bracket && bracket.meets && bracket.misses) out.push({ axis: "x", from: bracket.meets.load, to: bracket.misses.load, of: 2, name: "limit met to missed" });
  else if (bracket && bracket.meets) out.push({ axis: "x", from: bracket.meets.load, of: 2, name: "meets the limit" });
  else if (bracket && bracket.misses) out.push({ axis: "x", from: bracket.misses.load, of: 2, name: "misses the limit" });
  if (knee && knee.load > 0) out.push({ axis: "x", from: knee.load, of: 3, name: `knee, ${countText(knee.load)}` });
  if (sweep.slo_ns > 0) out.push({ axis: "y", from: sweep.slo_ns, of: 1, name: sweep.slo });
  return out;
}

// Rates have steps of equal width, depths are doubled.
function curveKindOf({ load }) {
  const name = load || "load";
  return { plot: "sweep", title: "Latency against load", make: curveLines, marks: curveMarks, xLog: !/^rate/.test(name), xText: countText, yText: nsText, xName: name,
    yName: "latency", toggle: "Logarithmic latency", points: true, csvName: name };
}

// The plots of a page, drawn from the results that it carries. Without this script all tables are there. Histograms are bars, one a bucket, at the edges that the
// bucket has: a line across empty buckets would show what was never measured. No data leaves the page; a file is written where a button asks for it.
"use strict";
(() => {
  const started = performance.now();
  const DIRECTIONS = ["read", "write", "trim"];
  const PALETTES = {
    light: { text: "#1a1a1a", line: "#d0d0d0", read: "#0072b2", write: "#d55e00", trim: "#007a5a" },
    dark: { text: "#e8e8e8", line: "#444444", read: "#56b4e9", write: "#e69f00", trim: "#2fc79a" },
  };
  const DASHES = { read: [], write: [8, 4], trim: [2, 3] };
  const darkMode = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const palette = () => (darkMode.matches && !printing ? PALETTES.dark : PALETTES.light);

  const results = [...document.querySelectorAll("script.result")].map((script) => {
    try {
      return JSON.parse(script.textContent);
    } catch {
      return null;  // a line an interval, as of `fathom pmu stat -I`: it has no plots
    }
  });

  // Numbers with three digits and a unit.
  function withUnit(value, units, base) {
    if (value === 0) return "0";
    let i = 0;
    while (i + 1 < units.length && Math.abs(value) >= base * 0.9995) { value /= base; ++i; }
    return `${Number(value.toPrecision(3))}${units[i]}`;
  }
  const nsText = (ns) => withUnit(ns, [" ns", " us", " ms", " s"], 1000);
  const countText = (n) => withUnit(n, ["", "k", "M", "G", "T"], 1000);

  // A bucket of the histogram from the value that stands for it: 64 to an octave from 128 ns on, 1 ns below.
  function bucketOf(ns) {
    const width = ns < 128 ? 1 : 2 ** (Math.floor(Math.log2(ns)) - 6);
    const low = Math.floor(ns / width) * width;
    return { low, high: low + width };
  }

  function latencyOf(direction) {
    for (const name of ["intended_lat", "lat", "clat"])
      if (direction && direction[name] && direction[name].n > 0 && direction[name].histogram_ns) return { name, latency: direction[name] };
    return null;
  }

  function bins(latency) {
    return Object.entries(latency.histogram_ns).map(([ns, count]) => ({ ns: Number(ns), count })).sort((a, b) => a.ns - b.ns);
  }

  // Each: { name, color, dash, x: [], y: [], high?: [] }.
  function histograms(job) {
    const out = [];
    for (const name of DIRECTIONS) {
      const found = latencyOf(job[name]);
      if (!found) continue;
      const all = bins(found.latency);
      out.push({ name: `${name} ${found.name}`, of: name, x: all.map((bin) => bucketOf(bin.ns).low || 0.5), y: all.map((bin) => bin.count) });
    }
    return out;
  }

  function percentiles(job) {
    const out = [];
    for (const name of DIRECTIONS) {
      const found = latencyOf(job[name]);
      if (!found) continue;
      const total = found.latency.n, x = [1], y = [found.latency.min_ns];
      let below = 0;
      for (const bin of bins(found.latency)) {
        below += bin.count;
        const rest = Math.max(total - below, 0.5);
        x.push(total / rest);
        y.push(Math.min(bin.ns, found.latency.max_ns));
      }
      out.push({ name: `${name} ${found.name}`, of: name, x, y });
    }
    return out;
  }

  function series(job) {
    const out = [];
    for (const name of DIRECTIONS) {
      const points = job[name] && job[name].series;
      if (!points || points.length < 2) continue;
      out.push({ name: `${name} IOPS`, of: name, x: points.map((p) => p.time_ms / 1000), y: points.map((p) => (p.interval_ms > 0 ? (p.ios * 1000) / p.interval_ms : null)) });
    }
    return out;
  }

  // Bars from each bucket's lower edge to its upper one.
  function bars(u, seriesIndex, first, last) {
    const path = new Path2D(), [xs] = u.data, ys = u.data[seriesIndex];
    const floor = u.valToPos(u.scales.y.min, "y", true);
    for (let i = first; i <= last; ++i) {
      if (ys[i] == null) continue;
      const left = u.valToPos(xs[i], "x", true), right = u.valToPos(xs[i] < 1 ? 1 : bucketOf(xs[i]).high, "x", true);
      const top = u.valToPos(ys[i], "y", true);
      path.rect(left, top, Math.max(right - left, 1), floor - top);
    }
    return { fill: path, stroke: null };
  }

  const nines = (x) => (x <= 1 ? "0 %" : `${Number((100 * (1 - 1 / x)).toPrecision(x < 10 ? 2 : 2 + Math.floor(Math.log10(x))))} %`);
  // Powers of ten, and of what is zoomed in 2 and 5 of each.
  function powers(u, axisIndex, low, high) {
    const out = [], steps = high / low < 50 ? [1, 2, 5] : [1];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const step of steps) if (step * 10 ** power >= low && step * 10 ** power <= high) out.push(step * 10 ** power);
    return out.length > 1 ? out : [low, high];
  }
  const loose = (u, low, high) => (low == null ? [1, 10] : [low / 1.05, high * 1.05]);

  const KINDS = {
    histogram: { title: "Latency, samples a bucket", make: histograms, xLog: true, xText: nsText, yText: countText, xName: "latency", toggle: "Logarithmic counts", bars: true, csvName: "latency_ns" },
    percentiles: { title: "Latency by percentile", make: percentiles, xLog: true, xText: nines, yText: nsText, xName: "percentile", yLog: true, steps: true, csvName: "percentile", csvX: (x) => 100 * (1 - 1 / x) },
    series: { title: "I/Os a second", make: series, xText: (s) => `${Number(s.toPrecision(4))} s`, yText: countText, xName: "elapsed", csvName: "elapsed_s" },
  };

  function axis(text, colours, logs) {
    return { splits: logs ? powers : undefined, filter: logs ? (u, splits) => splits : undefined, stroke: colours.text, grid: { stroke: colours.line, width: 1 }, ticks: { stroke: colours.line, width: 1 }, size: 70,
      values: (u, splits) => splits.map((value) => (value == null ? "" : text(value))) };
  }

  function optionsOf(kind, state, lines, width) {
    const colours = palette(), yLog = kind.toggle ? state.log : kind.yLog;
    const scaleX = kind.xLog ? { time: false, distr: 3, range: (u, low, high) => (state.zoom ? state.zoom : loose(u, low, high)) }
                             : { time: false, range: (u, low, high) => (state.zoom ? state.zoom : [low, high]) };
    const scaleY = yLog ? { distr: 3, range: (u, low, high) => (kind.bars ? [0.5, Math.max(high, 1) * 1.5] : loose(u, low, high)) }
                        : { range: (u, low, high) => [0, (high || 1) * 1.05] };
    return {
      width, height: 300, scales: { x: scaleX, y: scaleY }, cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: {
        setSelect: [(u) => { if (u.select.width > 2) { zoomTo(state, u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")); } }],
        draw: [() => { window.fathomDrawn_ms = performance.now() - started; ++window.fathomDraws; }],
      },
      axes: [{ ...axis(kind.xText, colours, kind.xLog), size: 40 }, axis(kind.yText, colours, yLog)],
      series: [{ label: kind.xName, value: (u, v) => (v == null ? "" : kind.xText(v)) },
        ...lines.map((line) => ({ label: line.name, stroke: colours[line.of], fill: kind.bars ? `${colours[line.of]}aa` : undefined, dash: DASHES[line.of], width: kind.bars ? 0 : 2,
          points: { show: false }, spanGaps: !kind.bars, paths: kind.bars ? bars : kind.steps ? uPlot.paths.stepped({ align: -1 }) : undefined, value: (u, v) => (v == null ? "" : kind.yText(v)) }))],
    };
  }

  function draw(state) {
    if (state.plot) state.plot.destroy();
    const data = uPlot.join(state.lines.map((line) => [line.x, line.y]));
    const width = Math.max(280, state.holder.clientWidth || 800);
    state.plot = new uPlot(optionsOf(state.kind, state, state.lines, width), data, state.canvas);
  }

  function zoomTo(state, low, high) {
    state.zoom = [Math.min(low, high), Math.max(low, high)];
    draw(state);
  }

  function zoomBy(state, factor) {
    const { min, max } = state.plot.scales.x;
    if (state.kind.xLog) {
      const middle = Math.sqrt(min * max), half = Math.sqrt(max / min) ** factor;
      zoomTo(state, middle / half, middle * half);
    } else {
      const middle = (min + max) / 2, half = ((max - min) / 2) * factor;
      zoomTo(state, middle - half, middle + half);
    }
  }

  function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function csvOf(state) {
    const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
    const rows = [[state.kind.csvName, ...state.lines.map((line) => line.name)].map(quoted).join(",")];
    const data = uPlot.join(state.lines.map((line) => [line.x, line.y]));
    for (let i = 0; i < data[0].length; ++i) rows.push(data.map((column, c) => (column[i] == null ? "" : c === 0 && state.kind.csvX ? state.kind.csvX(column[i]) : column[i])).join(","));
    return `${rows.join("\n")}\n`;
  }

  function button(bar, text, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    bar.append(made);
    return made;
  }

  function buildFigure(holder) {
    const kind = KINDS[holder.dataset.plot], result = Number(holder.dataset.result);
    const jobs = results[result] && results[result].fathom && results[result].fathom.jobs;
    const job = jobs && jobs[Number(holder.dataset.job)];
    const lines = kind && job ? kind.make(job) : [];
    if (!lines.length || !lines.some((line) => line.x.length)) return null;
    const title = document.createElement("h4"), bar = document.createElement("div"), canvas = document.createElement("div");
    title.textContent = kind.title;
    bar.className = "bar";
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${kind.title} of ${job.name}; the table below has its numbers`);
    const state = { holder, kind, result, job, lines, canvas, zoom: null, log: true, plot: null };
    if (kind.toggle) {
      const toggle = button(bar, kind.toggle, () => { state.log = !state.log; toggle.setAttribute("aria-pressed", String(state.log)); draw(state); });
      toggle.setAttribute("aria-pressed", "true");
    }
    button(bar, "Zoom in", () => zoomBy(state, 0.5));
    button(bar, "Zoom out", () => zoomBy(state, 2));
    button(bar, "Whole", () => { state.zoom = null; draw(state); });
    button(bar, "CSV", () => save(`${holder.dataset.plot}.csv`, new Blob([csvOf(state)], { type: "text/csv" })));
    button(bar, "PNG", () => state.plot.ctx.canvas.toBlob((blob) => save(`${holder.dataset.plot}.png`, blob)));
    holder.append(title, bar, canvas);
    return state;
  }

  window.fathomDraws = 0;
  // One figure that cannot be drawn costs no other.
  const states = [...document.querySelectorAll(".figure[data-plot]")].map((holder) => {
    try {
      const state = buildFigure(holder);
      if (state) draw(state);
      return state;
    } catch (error) {
      console.error(error);
      holder.replaceChildren();
      return null;
    }
  }).filter(Boolean);
  const redraw = () => states.forEach(draw);
  darkMode.addEventListener("change", redraw);
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(redraw, 100); });
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((details) => { details.open = true; });
    printing = true;
    redraw();
  });
  addEventListener("afterprint", () => {
    folded.forEach((details) => { details.open = false; });
    printing = false;
    redraw();
  });
})();

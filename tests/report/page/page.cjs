// A page of a report in a real browser: node page.cjs PLAYWRIGHT PAGE FOLDER [AXE] [RESULT] [PARTS]. What is seen goes to standard output as JSON; page_test.py judges it. AXE (axe-core's
// script, or nothing) is asked about the page, light and dark. The figures of RESULT, a file of JSON, are added to the page, as a viewer adds them. Of the page `times` as RESULT
// only the time to the last plot is taken, five times. PARTS: a comma list of what is done (light, dark, narrow, no_script, used, result, printed); nothing: all of these. Besides,
// where it is named: scheme, a reader's system that turns dark while the page is open; scales, what the toggle of a histogram does to its bars.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");
const path = require("path");
const [page_file, folder, axe, result, parts] = process.argv.slice(3);

async function opened(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { console: [], errors: [], requests: [] };
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) seen.requests.push(request.url()); });
  await page.goto(`file://${page_file}`);
  await page.waitForTimeout(300);
  return { page, context, seen };
}

// Those that wait until they are scrolled to as well.
const drawAll = async (page) => { await page.evaluate(() => window.fathom.drawAll()); await page.waitForTimeout(100); };

async function facts(page) {
  const drawn_ms = await page.evaluate(() => window.fathomDrawn_ms);
  await drawAll(page);
  return { drawn_ms, ...(await page.evaluate(() => ({
  canvases: document.querySelectorAll("canvas").length, plots: [...document.querySelectorAll(".figure")].map((figure) => figure.dataset.plot), text: document.body.innerText,
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth, injected: window.injected === undefined ? null : window.injected,
  back: getComputedStyle(document.body).backgroundColor }))) };
}

async function complaints(page) {
  await page.evaluate(fs.readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map((node) => node.html.slice(0, 200)) }));
}

// The numbers of the first figure of each kind.
async function sheets(page) {
  const out = {};
  for (const plot of new Set(await page.evaluate(() => [...document.querySelectorAll(".figure")].map((figure) => figure.dataset.plot))))
    out[plot] = await download(page, page.locator(`.figure[data-plot=${plot}]`).first().getByRole("button", { name: "CSV" }));
  return out;
}

// One clock and one cursor for all plots over time.
async function clocks(page) {
  const figures = page.locator(".figure:has(button.clock)");
  if ((await figures.count()) < 2) return null;
  const legends = () => page.evaluate(() => [...document.querySelectorAll(".figure")].filter((figure) => figure.querySelector("button.clock"))
    .map((figure) => figure.querySelector(".u-legend, .values").innerText));
  const hover = async () => {
    await figures.first().scrollIntoViewIfNeeded();
    const over = await figures.first().locator(".u-over").boundingBox();
    await page.mouse.move(over.x + over.width / 2, over.y + over.height / 2);
    await page.waitForTimeout(100);
    return legends();
  };
  const elapsed = await hover();
  await figures.first().getByRole("button", { name: "Wall clock" }).click();
  const pressed = await page.evaluate(() => [...document.querySelectorAll("button.clock")].map((one) => one.getAttribute("aria-pressed")));
  return { elapsed, pressed, wall: await hover() };
}

// In the page: of which of the two palettes the texts on canvases are, in pixels; and what is folded. Grid, lines and bars are of neither tone.
function inks() {
  const out = { of_light: 0, of_dark: 0, folded: document.querySelectorAll("details:not([open])").length, draws: window.fathomDraws };
  for (const canvas of document.querySelectorAll(".figure:is([data-plot$=histogram], [data-plot$=cdf]) canvas")) {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 200) continue;
      if (Math.max(data[i], data[i + 1], data[i + 2]) < 60) ++out.of_light;
      if (Math.min(data[i], data[i + 1], data[i + 2]) > 215) ++out.of_dark;
    }
  }
  return out;
}

// Paper has all, whatever was scrolled to and folded, and light, whatever the reader's system is. The page's own listeners come first.
async function printed(browser) {
  const { page, context } = await opened(browser, { colorScheme: "dark" });
  await page.evaluate(`window.inks = ${inks}`);
  await page.evaluate(() => {
    window.before = window.inks();
    addEventListener("beforeprint", () => { window.onPaper = { ...window.inks(), back: getComputedStyle(document.body).backgroundColor }; });
  });
  await page.pdf({ path: path.join(folder, "page.pdf") });
  await page.waitForTimeout(100);
  const out = await page.evaluate(() => ({ figures: document.querySelectorAll(".figure").length, canvases: document.querySelectorAll("canvas").length,
    before: window.before, paper: window.onPaper, after: window.inks() }));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  out.paper_back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await context.close();
  return out;
}

async function scheme(browser) {
  const { page, context, seen } = await opened(browser, {}), out = { seen };
  await drawAll(page);
  for (const colorScheme of ["light", "dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(200);
    (out.inks ??= []).push(await page.evaluate(inks));
  }
  await context.close();
  return out;
}

// In the page: how high the bars of a figure of reads alone are, which are blue, in pixels: a number a column.
function heights(canvas) {
  const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height), tops = new Array(width).fill(0);
  let floor = 0;
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const at = 4 * (y * width + x);
      if (data[at + 3] < 60 || data[at + 2] < data[at] + 40) continue;
      floor = y;
      tops[x] = tops[x] || y;
    }
  return tops.filter((top) => top > 0).map((top) => floor + 1 - top);
}

async function scales(browser) {
  const { page, context } = await opened(browser, {}), figure = page.locator(".figure[data-plot$=histogram]").first(), out = {};
  for (const name of ["logarithmic", "linear", "again"]) {
    out[name] = { pressed: await figure.getByRole("button", { name: "Logarithmic shares" }).getAttribute("aria-pressed"), heights: await figure.locator("canvas").evaluate(heights) };
    await figure.getByRole("button", { name: "Logarithmic shares" }).click();
    await page.waitForTimeout(100);
  }
  out.csv = await download(page, figure.getByRole("button", { name: "CSV" }));
  await context.close();
  return out;
}

async function times(browser) {
  const out = [];
  for (let i = 0; i < 5; ++i) {
    const { page, context } = await opened(browser, {});
    await page.waitForTimeout(500);
    out.push(await page.evaluate(() => window.fathomDrawn_ms));
    await context.close();
  }
  return out;
}

// Pressed as long as by a slow hand: what is drawn meanwhile must not carry the button off.
async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click({ delay: 200 })]);
  const at = path.join(folder, file.suggestedFilename());
  await file.saveAs(at);
  return at;
}

const LOOKS = { light: {}, dark: { colorScheme: "dark" }, narrow: { viewport: { width: 400, height: 800 } }, no_script: { javaScriptEnabled: false } };
const wanted = (name) => !parts || parts.split(",").includes(name);

async function look(browser, name, options) {
  const { page, context, seen } = await opened(browser, options);
  const out = name === "no_script" ? { text: await page.innerText("body") } : await facts(page);
  out.seen = seen;
  if (axe && name !== "no_script") out.complaints = await complaints(page);
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  await context.close();
  return out;
}

async function resultOf(browser) {
  const { page, context } = await opened(browser, {});
  const file = await download(page, page.getByRole("button", { name: "Result as JSON" }).first());
  await context.close();
  return file;
}

// By the keyboard, by the mouse, and by its buttons.
async function zoomed(page, figure) {
  const out = {};
  const draws = () => page.evaluate(() => window.fathomDraws);
  const before = await draws();
  await figure.getByRole("button", { name: "Zoom in" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(100);
  out.zoom_draws = (await draws()) - before;
  await figure.locator(".plot").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  out.at_cursor = await figure.locator(".u-legend").innerText();
  const unmoved = await draws();
  await page.keyboard.press("Shift+ArrowRight");
  await page.waitForTimeout(100);
  out.pan_draws = (await draws()) - unmoved;
  await figure.getByRole("button", { name: "Logarithmic shares" }).click();
  out.pressed = await figure.getByRole("button", { name: "Logarithmic shares" }).getAttribute("aria-pressed");
  await figure.getByRole("button", { name: "Whole" }).click();
  const over = await figure.locator(".u-over").boundingBox();
  const dragged = await draws();
  await page.mouse.move(over.x + over.width * 0.3, over.y + 50);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.5, over.y + 60, { steps: 5 });
  await page.mouse.move(over.x + over.width * 0.6, over.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  out.drag_draws = (await draws()) - dragged;
  await figure.getByRole("button", { name: "Whole" }).click();
  out.csv = await download(page, figure.getByRole("button", { name: "CSV" }));
  out.png = await download(page, figure.getByRole("button", { name: "PNG" }));
  return out;
}

async function used(browser) {
  const { page, context, seen } = await opened(browser, {});
  if (result) await page.evaluate((json) => {
    const holder = document.createElement("section");
    document.querySelector("main").replaceChildren(holder);
    window.fathom.showResult(json, holder);
  }, JSON.parse(fs.readFileSync(result, "utf8")));
  await drawAll(page);
  const out = { used: seen, sheets: await sheets(page) };
  out.clocks = await clocks(page);
  const figure = page.locator(".figure[data-plot=histogram]").first();
  if (await figure.locator("canvas").count()) Object.assign(out, await zoomed(page, figure));
  await context.close();
  return out;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const out = {};
  if (result === "times") {
    fs.writeSync(1, JSON.stringify({ drawn_ms: await times(browser) }));
    await browser.close();
    return;
  }
  for (const [name, options] of Object.entries(LOOKS)) if (wanted(name)) out[name] = await look(browser, name, options);
  if (wanted("used")) Object.assign(out, await used(browser));
  if (wanted("result") && !result) out.result = await resultOf(browser);
  if (wanted("printed")) out.printed = await printed(browser);
  if (parts && wanted("scheme")) out.scheme = await scheme(browser);
  if (parts && wanted("scales")) out.scales = await scales(browser);
  await browser.close();
  fs.writeSync(1, JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });

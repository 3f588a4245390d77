// A page of a report in a real browser: node page.cjs PLAYWRIGHT PAGE FOLDER. What is seen goes to standard output as JSON; page_test.py judges it.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");
const path = require("path");
const [page_file, folder] = process.argv.slice(3);

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

const facts = (page) => page.evaluate(() => ({
  canvases: document.querySelectorAll("canvas").length, drawn_ms: window.fathomDrawn_ms, text: document.body.innerText,
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth, injected: window.injected === undefined ? null : window.injected,
  back: getComputedStyle(document.body).backgroundColor }));

async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const at = path.join(folder, file.suggestedFilename());
  await file.saveAs(at);
  return at;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const out = {};
  for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 400, height: 800 } }], ["no_script", { javaScriptEnabled: false }]]) {
    const { page, context, seen } = await opened(browser, options);
    out[name] = name === "no_script" ? { text: await page.innerText("body") } : await facts(page);
    out[name].seen = seen;
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
    await context.close();
  }
  const { page, context, seen } = await opened(browser, {});
  const figure = page.locator(".figure[data-plot=histogram]").first();
  if (await figure.locator("canvas").count()) {
    const draws = () => page.evaluate(() => window.fathomDraws);
    const before = await draws();
    await figure.getByRole("button", { name: "Zoom in" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(100);
    out.zoom_draws = (await draws()) - before;
    await figure.getByRole("button", { name: "Logarithmic counts" }).click();
    out.pressed = await figure.getByRole("button", { name: "Logarithmic counts" }).getAttribute("aria-pressed");
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
  }
  await page.emulateMedia({ media: "print" });
  await page.pdf({ path: path.join(folder, "page.pdf") });
  out.used = seen;
  await context.close();
  await browser.close();
  fs.writeSync(1, JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });

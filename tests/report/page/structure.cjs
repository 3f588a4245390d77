// The structure of a page in a real browser: node structure.cjs PLAYWRIGHT PAGE FOLDER. Headings in their order, the
// first screen, legends, live regions, names of files, print and phone. What is seen goes to standard output as JSON;
// kinds_test.py judges it.
"use strict";
const { chromium } = require(process.argv[2]);
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

const drawAll = async (page) => { await page.evaluate(() => window.fathom.drawAll()); await page.waitForTimeout(100); };
const texts = (page, selector) => page.evaluate((of) => [...document.querySelectorAll(of)].map((one) => one.innerText.trim()), selector);

async function named(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click({ delay: 200 })]);
  await file.saveAs(path.join(folder, file.suggestedFilename()));
  return file.suggestedFilename();
}

// At the middle of the first figure of a kind.
async function hovered(page, figure) {
  await figure.scrollIntoViewIfNeeded();
  const over = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(over.x + over.width / 2, over.y + over.height / 2);
  await page.waitForTimeout(100);
}

async function byKeys(page, figure, keys) {
  const out = [];
  await figure.locator(".plot").focus();
  for (const key of keys) {
    await page.keyboard.press(key);
    out.push(await figure.locator("[aria-live]").innerText());
  }
  return out;
}

async function heat(page) {
  const figure = page.locator(".figure[data-plot*=heat-]").first();
  if (!(await figure.count())) return null;
  const out = { plot: await figure.getAttribute("data-plot"), steps: await figure.locator(".legend span").allInnerTexts() };
  out.before = await figure.locator(".values").innerText();
  await hovered(page, figure);
  out.hovered = await figure.locator(".values").innerText();
  await page.mouse.move(0, 0);
  out.keys = await byKeys(page, figure, ["ArrowRight", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft"]);
  // In the page: columns of the canvas that have the color of cells.
  out.shaded = await figure.locator("canvas").evaluate((canvas) => {
    const { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height), columns = new Set();
    for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) { const at = 4 * (y * width + x); if (data[at + 3] > 20 && data[at + 2] > data[at] + 40) columns.add(x); }
    return columns.size / width;
  });
  return out;
}

async function whole(browser) {
  const { page, context, seen } = await opened(browser, {});
  const out = { seen, screens: await page.evaluate(() => document.documentElement.scrollHeight / 900), drawn: await page.evaluate(() => document.querySelectorAll("canvas").length) };
  out.headings = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3")].map((one) => `${one.localName} ${one.textContent}`));
  out.first = (await texts(page, ".first"))[0];
  out.title = await page.title();
  await drawAll(page);
  out.plots = await page.evaluate(() => [...document.querySelectorAll(".figure")].map((figure) => figure.dataset.plot));
  out.legends = await texts(page, ".u-legend");
  // Entries of legends that are shown, each with whether a colon and a value follow its name.
  out.entries = await page.evaluate(() => [...document.querySelectorAll(".u-legend .u-series")].filter((row) => row.offsetParent !== null)
    .map((row) => ({ colon: getComputedStyle(row.querySelector("th"), "::after").content !== "none", value: row.querySelector(".u-value").innerText })));
  out.live = await page.evaluate(() => [...document.querySelectorAll(".figure")].map((figure) => figure.querySelectorAll("[aria-live=polite]").length));
  const first = page.locator(".figure:has(.u-legend)").first();
  if (await first.count()) {
    const keys = (await first.locator("h4").innerText()).match(/job|metric|pair|clock|Offset|Cost/i) ? ["ArrowDown"] : ["ArrowRight"];
    out.keys = await byKeys(page, first, keys);
    out.legend_at_cursor = await first.locator(".u-legend").innerText();
    out.csv = await named(page, first.getByRole("button", { name: "CSV" }));
  }
  out.json = await named(page, page.getByRole("button", { name: "Result as JSON" }).first());
  out.heat = await heat(page);
  await page.emulateMedia({ media: "print" });
  const display = (selector) => page.evaluate((of) => { const one = document.querySelector(of); return one && getComputedStyle(one).display; }, selector);
  out.print = { bar: await display(".bar"), nav: await display("nav"), readout: await display(".readout"), thead: await display("thead") };
  await page.screenshot({ path: path.join(folder, "print.png") });
  await context.close();
  return out;
}

async function phone(browser) {
  const { page, context, seen } = await opened(browser, { viewport: { width: 390, height: 844 } });
  await drawAll(page);
  const out = { seen, wide: await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth) };
  out.cards = await page.evaluate(() => [...document.querySelectorAll(".finding")].map((card) => ({ radius: parseFloat(getComputedStyle(card).borderTopLeftRadius),
    edge: getComputedStyle(card).borderTopStyle, height: card.querySelector("summary").getBoundingClientRect().height, parts: [...card.querySelector("summary").children].map((one) => getComputedStyle(one).display) })));
  await page.screenshot({ path: path.join(folder, "phone.png") });
  await context.close();
  return out;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const out = { whole: await whole(browser), phone: await phone(browser) };
  const { page, context } = await opened(browser, { javaScriptEnabled: false });
  out.no_script = await page.innerText("body");
  await context.close();
  await browser.close();
  process.stdout.write(JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });

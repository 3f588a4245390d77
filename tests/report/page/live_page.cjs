// The page of a run that goes on, in a real browser: node live_page.cjs PLAYWRIGHT ADDRESS FOLDER AXE PID. What is seen of it while it runs, narrow and wide, and of the report that takes
// its place when the process PID is interrupted, goes to standard output as JSON; live_page_test.py judges it.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");
const path = require("path");
const [address, folder, axe, pid] = process.argv.slice(3);

const facts = () => ({
  state: document.getElementById("state") && document.getElementById("state").textContent,
  rows: [...document.querySelectorAll("#now tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
  done: document.getElementById("done") && document.getElementById("done").value,
  left: document.getElementById("left") && document.getElementById("left").textContent,
  plots: [...document.querySelectorAll(".figure")].map((figure) => figure.dataset.plot),
  canvases: document.querySelectorAll("canvas").length,
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
});

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const out = { console: [], errors: [], others: [] };
  page.on("console", (message) => out.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => out.errors.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith(address) && !/^(blob|data):/.test(request.url())) out.others.push(request.url()); });
  await page.goto(address);
  await page.locator(".figure canvas").nth(1).waitFor({ timeout: 20000 });
  out.first = await page.evaluate(facts);
  await page.waitForTimeout(2200);
  out.later = await page.evaluate(facts);
  out.draws = await page.evaluate(() => window.fathomDraws);
  await page.screenshot({ path: path.join(folder, "live-wide.png"), fullPage: true });
  const [sheet] = await Promise.all([page.waitForEvent("download"), page.locator(".figure").first().getByRole("button", { name: "CSV" }).click()]);
  out.sheet = fs.readFileSync(await sheet.path(), "utf8");
  await page.evaluate(fs.readFileSync(axe, "utf8"));
  out.axe = (await page.evaluate(() => window.axe.run())).violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.map((node) => node.html.slice(0, 200)) }));
  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForTimeout(400);
  out.narrow = await page.evaluate(facts);
  await page.screenshot({ path: path.join(folder, "live-narrow.png") });
  process.kill(Number(pid), "SIGINT");
  await page.waitForSelector("article", { timeout: 30000 });
  await page.waitForTimeout(500);
  out.report = { title: await page.title(), live: await page.locator("#follow").count(), articles: await page.locator("article").count(),
    verdict: (await page.locator(".verdict").allInnerTexts()).join(), canvases: await page.locator("canvas").count() };
  await browser.close();
  process.stdout.write(JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });

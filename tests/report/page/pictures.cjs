// Pictures of parts of pages: node pictures.cjs PLAYWRIGHT, and on standard input [[PAGE, SELECTOR of what is in it, FILE, height at most, files that are
// dropped onto it], ...] as JSON. A PAGE is a file, or the address of a run that goes on.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  for (const [file, selector, to, height, dropped] of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const context = await browser.newContext({ viewport: { width: 800, height: 900 }, deviceScaleFactor: 0.7 });
    const page = await context.newPage();
    await page.goto(file.startsWith("http:") ? file : `file://${file}`);
    if (dropped.length) {
      await page.setInputFiles("#files", dropped);
      await page.waitForTimeout(1000);
    }
    await page.evaluate(() => window.fathom && window.fathom.drawAll());
    if (file.startsWith("http:")) await page.waitForTimeout(3000);
    await page.waitForTimeout(200);
    const boxes = await page.evaluate((wanted) => [...document.querySelectorAll(wanted)].map((one) => {
      const box = one.getBoundingClientRect();
      return { top: box.top + scrollY, bottom: box.bottom + scrollY };
    }), selector);
    if (boxes.length) {
      const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
      await page.screenshot({ path: to, fullPage: true, clip: { x: 0, y: Math.max(top - 8, 0), width: 800, height: Math.min(bottom - top + 16, height) } });
    }
    await context.close();
  }
  await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });

// The viewer in a real browser: node viewer.cjs PLAYWRIGHT VIEWER PLAN.json FOLDER. The plan names the files of each scene; what is seen goes to FOLDER/seen.json, and
// viewer_test.py judges it.
"use strict";
const { chromium } = require(process.argv[2]);
const fs = require("fs");
const path = require("path");
const [viewer, plan_file, folder] = process.argv.slice(3);
const plan = JSON.parse(fs.readFileSync(plan_file, "utf8"));

async function opened(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { console: [], errors: [], requests: [] };
  page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => seen.errors.push(error.message));
  page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) seen.requests.push(request.url()); });
  await page.goto(`file://${viewer}`);
  return { page, context, seen };
}

// All of that many rows are there, and what they changed is drawn. (The page's policy allows no waitForFunction, which evaluates a text.)
async function settled(page, rows) {
  const done = () => page.evaluate((n) => document.querySelectorAll("#list li").length >= n && !/ read$|^$/.test(document.getElementById("status").textContent), rows);
  for (const end = Date.now() + 120000; !(await done()) && Date.now() < end;) await page.waitForTimeout(50);
  await page.waitForTimeout(300);
}

const facts = (page) => page.evaluate(() => ({
  rows: [...document.querySelectorAll("#list li")].slice(0, 50).map((row) => {
    const { checked, disabled } = row.querySelector("input"), text = row.querySelector("label span:last-child").textContent;
    return { name: row.querySelector(".name").textContent, text, bad: row.querySelector(".bad") !== null, ticked: checked, disabled };
  }),
  count: document.querySelectorAll("#list li").length, status: document.getElementById("status").textContent, note: document.getElementById("overlay-note").textContent,
  plots: [...document.querySelectorAll("#overlay .figure")].map((figure) => figure.dataset.plot), merged_plots: document.querySelectorAll("#merged canvas").length,
  legends: [...document.querySelectorAll("#overlay .figure")].map((figure) => figure.querySelectorAll(".u-series").length - 1),
  table: [...document.querySelectorAll("#pivot tbody tr")].slice(0, 50).map((row) => [...row.children].map((cell) => cell.textContent)),
  merged: [...document.querySelectorAll("#merged tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
  wide: document.documentElement.scrollWidth > document.documentElement.clientWidth, injected: window.injected === undefined ? null : window.injected,
  markup: document.querySelectorAll("main img, main script").length }));

// Pressed as long as by a slow hand: what is drawn meanwhile must not carry the button off.
async function download(page, button, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click({ delay: 200 })]);
  const at = path.join(folder, name);
  await file.saveAs(at);
  return at;
}

async function complaints(page) {
  await page.evaluate(fs.readFileSync(plan.axe, "utf8"));
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, impact, nodes }) => ({ id, impact, at: nodes.map((node) => node.html.slice(0, 200)) }));
}

async function drop(page, files) {
  const contents = files.map(([name, file]) => [name, fs.readFileSync(file, "utf8")]);
  await page.evaluate((all) => {
    const transfer = new DataTransfer();
    for (const [name, text] of all) transfer.items.add(new File([text], name));
    for (const type of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, contents);
}

const scenes = {
  async chosen(page) {
    await page.setInputFiles("#files", plan.chosen);
    await settled(page, plan.chosen.length);
    return facts(page);
  },
  async dropped(page) {
    await drop(page, plan.dropped);
    await settled(page, plan.dropped.length);
    return facts(page);
  },
  async pivoted(page) {
    await page.setInputFiles("#files", plan.pivoted);
    await settled(page, plan.pivoted.length);
    const out = { csv: {} };
    for (const [name, choice] of Object.entries(plan.choices)) {
      for (const [label, value] of Object.entries(choice)) await page.getByLabel(label, { exact: true }).selectOption(value);
      out.csv[name] = await download(page, page.locator("#pivot").getByRole("button", { name: "CSV of the table" }), `${name}.csv`);
    }
    const tables = async (id) => {
      const buttons = page.locator(`#${id}`).getByRole("button", { name: "CSV of the table" }), files = [];
      for (let i = 0; i < (await buttons.count()); ++i) files.push(await download(page, buttons.nth(i), `${id}-${i}.csv`));
      return files;
    };
    [out.merged_csv] = await tables("merged");
    if (plan.thresholds) {
      await page.getByLabel("Thresholds").fill(plan.thresholds);
      await page.keyboard.press("Enter");
    }
    [out.bands_csv] = await tables("bands");
    out.threads = await tables("threads");
    await page.evaluate(() => window.fathom.drawAll());
    for (const plot of await page.evaluate(() => [...document.querySelectorAll("#overlay .figure, #bands .figure")].map((figure) => figure.dataset.plot)))
      out[plot] = await download(page, page.locator(`:is(#overlay, #bands) .figure[data-plot=${plot}]`).getByRole("button", { name: "CSV", exact: true }), `${plot}.csv`);
    await page.getByRole("button", { name: "Tick none" }).click();
    await page.waitForTimeout(200);
    out.none = await page.locator("#overlay-part").isHidden();
    await page.getByRole("button", { name: "Tick all" }).click();
    await page.waitForTimeout(300);
    return { ...out, ...(await facts(page)) };
  },
  // Each result by itself, and the numbers of each of its plots.
  async whole(page) {
    await drop(page, plan.whole);
    await settled(page, plan.whole.length);
    const out = { sheets: [] }, rows = await page.locator("#list li").count();
    for (let row = 0; row < rows; ++row) {
      const show = page.locator("#list li").nth(row).getByRole("button", { name: /^Show whole/ }), sheets = {};
      if (await show.count()) await show.click();
      await page.waitForTimeout(300);
      await page.evaluate(() => window.fathom.drawAll());
      const figures = page.locator("#whole .figure");
      for (let i = 0; (await show.count()) && i < (await figures.count()); ++i) {
        const plot = await figures.nth(i).getAttribute("data-plot");
        sheets[plot] ??= await download(page, figures.nth(i).getByRole("button", { name: "CSV", exact: true }), `whole-${row}-${plot}.csv`);
      }
      out.sheets.push(sheets);
    }
    return { ...out, ...(await facts(page)) };
  },
  async keyboard(page) {
    await page.keyboard.press("Tab");
    const first = await page.evaluate(() => document.activeElement.id);
    await page.setInputFiles("#files", plan.keyboard);
    await settled(page, plan.keyboard.length);
    const reached = [], before = (await facts(page)).legends[0];
    for (let i = 0; i < 12; ++i) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate(() => document.activeElement.type === "checkbox" ? "box" : document.activeElement.textContent));
      if (reached[reached.length - 1] === "box") break;
    }
    await page.keyboard.press("Space");
    await page.waitForTimeout(300);
    const after = (await facts(page)).legends[0];
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(500);
    const focus = await page.evaluate(() => document.activeElement.id), whole = await page.locator("#whole canvas").count(), removed = [];
    await page.locator("#list li").first().getByRole("button", { name: /^Remove/ }).focus();
    for (let left = plan.keyboard.length; left > 0; --left) {
      await page.keyboard.press("Enter");
      await page.waitForTimeout(200);
      const { count, status, legends } = await facts(page);
      removed.push({ count, status, lines: legends[0] || 0, focus: await page.evaluate(() => document.activeElement.getAttribute("aria-label") || document.activeElement.id),
        whole: await page.locator("#whole-part").isVisible() });
    }
    return { first, reached, before, after, focus, whole, removed };
  },
  async many(page) {
    const text = fs.readFileSync(plan.many, "utf8"), began = Date.now();
    await page.evaluate(([one, n]) => {
      const files = Array.from({ length: n }, (unused, i) => new File([one], `${i}.json`)), transfer = new DataTransfer();
      for (const file of files) transfer.items.add(file);
      window.longest = 0;
      let last = performance.now();
      setInterval(() => { window.longest = Math.max(window.longest, performance.now() - last); last = performance.now(); }, 5);
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, [text, plan.many_count]);
    await settled(page, plan.many_count);
    return { ...(await facts(page)), ms: Date.now() - began, longest_ms: await page.evaluate(() => window.longest) };
  },
};

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });
  const out = {}, run = async (name, scene, options) => {
    const { page, context, seen } = await opened(browser, options);
    out[name] = { ...(await scenes[scene](page)), seen };
    if (plan.axe) out[name].complaints = await complaints(page);
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: scene !== "many" });
    await context.close();
  };
  if (plan.chosen) {
    await run("wide", "chosen", {});
    await run("narrow", "chosen", { viewport: { width: 400, height: 800 } });
    await run("dark", "chosen", { colorScheme: "dark" });
  }
  for (const scene of ["dropped", "pivoted", "whole", "keyboard", "many"]) if (plan[scene]) await run(scene, scene, {});
  await browser.close();
  fs.writeFileSync(path.join(folder, "seen.json"), JSON.stringify(out));
})().catch((error) => { console.error(error); process.exit(1); });

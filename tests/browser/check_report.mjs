// check_report.mjs REPORT.html...: opens reports that the program wrote, and fails where one
// complains, asks for something, breaks the contract, shows no plot, or has a blank animation.

import { count_coloured, launch, open_file } from "./browser.mjs";

const paths = process.argv.slice(2);
if (paths.length === 0) throw new Error("usage: check_report.mjs REPORT.html...");
const browser = await launch();
for (const path of paths) {
  const page = await open_file(browser, path);
  const faults = page.faults;
  faults.push(...await page.locator(".failure").allTextContents());
  if (faults.length === 0 && await page.locator(".plot").count() === 0) faults.push("no plot");
  const canvas = page.locator(".stage canvas");
  if (await canvas.count() > 0 && await count_coloured(page, await canvas.screenshot()) < 100)
    faults.push("the animation is blank");
  for (const fault of faults) console.error(`${path}: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  await page.close();
}
await browser.close();
console.log(`${paths.length} reports opened`);

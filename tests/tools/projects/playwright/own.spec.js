const { expect, test } = require("@playwright/test");

test("a page of the project's own server is shown", async ({ page }) => {
  await page.goto(`http://localhost:${process.env.PORT}/page.html`);
  await expect(page.locator("h1")).toHaveText("shown");
});

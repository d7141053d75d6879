import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the accessibility rules have against the page as it stands; `only` names single rules. */
export async function barriersOf(page: Page, only?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(
    async (rules) => {
      const { violations } = await (globalThis as any).axe.run((globalThis as any).document, {
        runOnly: rules ? { type: 'rule', values: rules } : ['wcag2a', 'wcag2aa'],
      });
      return violations.map((v: any) => `${v.id}: ${v.nodes[0]?.html}`);
    },
    only && [...only],
  );
}

/** With FAIRLEAD_SCREENSHOTS set, what a person would see is kept there to be inspected. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.FAIRLEAD_SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** How many parts of the top bar lie over their neighbour, and how far the page is wider than the window. */
export async function overlapsOn(page: Page): Promise<{ over: number; beyond: number }> {
  return page.evaluate(() => {
    const { document } = globalThis as any;
    const main = document.querySelector('main');
    const bar = [...document.querySelectorAll('.topbar > *, .crumbs > *')]
      .filter((one) => one.className !== 'crumbs' && one.getBoundingClientRect().width > 0)
      .map((one) => one.getBoundingClientRect());
    const laid = bar.filter(({ left }, at) => at > 0 && left < bar[at - 1].right - 1);
    return { over: laid.length, beyond: main.scrollWidth - main.clientWidth };
  });
}

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

/**
 * How many parts of the top bar, or buttons of a section, lie over their neighbour, and how far the page or its dialog is wider
 * than the window.
 */
export async function overlapsOn(page: Page): Promise<{ over: number; beyond: number }> {
  return page.evaluate(() => {
    const { document } = globalThis as any;
    const wide = [...document.querySelectorAll('main, dialog[open] .dialog-body')];
    const bar = [...document.querySelectorAll('.topbar > *, .crumbs > *')]
      .filter((one) => one.className !== 'crumbs' && one.getBoundingClientRect().width > 0)
      .map((one) => one.getBoundingClientRect());
    const laid = bar.filter(({ left }, at) => at > 0 && left < bar[at - 1].right - 1);
    const words = [...document.querySelectorAll('.section-intro > *')].map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return range.getBoundingClientRect();
    });
    const covering = [...document.querySelectorAll('.section-head > *')]
      .map((one) => one.getBoundingClientRect())
      .filter(({ left, top, bottom }) =>
        words.some((line) => left < line.right && top < line.bottom - 1 && bottom > line.top + 1),
      );
    const beyond = wide.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    return { over: laid.length + covering.length, beyond: Math.max(...beyond) };
  });
}

/** The current tabs and views that their row has scrolled out of sight. */
export async function unseenTabsOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rows = [...(globalThis as any).document.querySelectorAll('main [role="tablist"], main .segmented')];
    return rows.flatMap((row) => {
      const current = row.querySelector('[aria-selected="true"], [aria-current]');
      if (!current) return [];
      const [shown, box] = [current.getBoundingClientRect(), row.getBoundingClientRect()];
      return shown.left < box.left - 1 || shown.right > box.right + 1 ? [current.textContent] : [];
    });
  });
}

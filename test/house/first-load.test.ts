import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { budget, firstLoad, requireBudget } from '../../tools/first-load.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-first-load-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the first load counts what the page names and the font, not what is loaded later', () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(
    join(folder, 'index.html'),
    '<script src="./assets/a.js"></script><link rel="modulepreload" href="./assets/a.js"><link href="./assets/a.css">',
  );
  writeFileSync(join(folder, 'assets/a.js'), randomBytes(100_000));
  writeFileSync(join(folder, 'assets/a.css'), 'x'.repeat(100_000));
  writeFileSync(join(folder, 'assets/inter-latin-wght-normal-1.woff2'), randomBytes(50_000));
  writeFileSync(join(folder, 'assets/inter-latin-ext-wght-normal-1.woff2'), randomBytes(50_000));
  writeFileSync(join(folder, 'assets/later.js'), randomBytes(900_000));
  expect(firstLoad(folder)).toBeGreaterThan(150_000);
  expect(firstLoad(folder)).toBeLessThan(152_000);
  expect(requireBudget(folder)).toBeLessThan(budget);
  writeFileSync(join(folder, 'assets/a.js'), randomBytes(200_000));
  expect(() => requireBudget(folder)).toThrow('at most 220 KB');
});

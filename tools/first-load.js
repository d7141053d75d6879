// What a browser loads before the page is there: the scripts and styles that index.html names, and the font of Latin text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const budget = 220 * 1024;

/** The bytes of the first load, compressed; fonts are compressed already. */
export function firstLoad(folder) {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="[^"]*?(assets\/[^"]+|[\w-]+\.js)"/g)].map(
    ([, path]) => path,
  );
  const fonts = readdirSync(join(folder, 'assets')).filter(
    (name) => /latin-wght-normal.*\.woff2$/.test(name) && !name.includes('-ext-'),
  );
  const texts = [...new Set(named)].map((path) => gzipSync(readFileSync(join(folder, path))).length);
  const faces = fonts.map((name) => readFileSync(join(folder, 'assets', name)).length);
  return [gzipSync(html).length, ...texts, ...faces].reduce((sum, bytes) => sum + bytes, 0);
}

/** Throws when the first load is over its budget: what few people need is loaded when they open it. */
export function requireBudget(folder) {
  const bytes = firstLoad(folder);
  if (bytes > budget)
    throw new Error(
      `the first load of the web UI is ${Math.ceil(bytes / 1024)} KB, at most ${budget / 1024} KB: load parts of it with lazy()`,
    );
  return bytes;
}

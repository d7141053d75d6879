import { readdirSync } from 'node:fs';
import { type BenchCase, measure } from './harness.ts';

/** `npm run bench [word…]` runs the cases whose name contains a word; all of them without one. */
const words = process.argv.slice(2);
const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.bench.ts'));

const row = (cells: string[]) =>
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(44) : cell.padStart(14))).join(''));
row(['case', 'ours', 'baseline', 'ratio', '']);
for (const file of files.sort()) {
  const { cases } = (await import(`./${file}`)) as { cases: BenchCase[] };
  for (const bench of cases) {
    if (words.length > 0 && !words.some((word) => bench.name.includes(word))) continue;
    const { microseconds, baselineMicroseconds, name, baseline } = await measure(bench);
    const ratio = microseconds / baselineMicroseconds;
    row([
      name,
      `${microseconds.toFixed(2)} µs`,
      `${baselineMicroseconds.toFixed(2)} µs`,
      `${ratio.toFixed(2)} ×`,
      `  ${baseline}`,
    ]);
  }
}

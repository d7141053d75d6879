import { readdirSync } from 'node:fs';
import { type BenchCase, type Figure, measure } from './harness.ts';

/** `npm run bench [word…]` runs what has a word in its name or its file's; everything without one. */
const words = process.argv.slice(2);
const files = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.bench.ts'));
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));

type Bench = { cases?: BenchCase[]; figures?: () => Promise<Figure[]> };

function row(cells: readonly string[]): void {
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(50) : cell.padStart(16))).join(''));
}

async function compare(bench: BenchCase): Promise<void> {
  const { microseconds, baselineMicroseconds, name, baseline } = await measure(bench);
  const ratio = microseconds / baselineMicroseconds;
  const times = [microseconds, baselineMicroseconds].map((time) => `${time.toFixed(2)} µs`);
  row([name, ...times, `${ratio.toFixed(2)} ×`, `   ${baseline}`]);
}

row(['case', 'ours', 'baseline', 'ratio']);
for (const file of files.sort()) {
  const { cases = [], figures } = (await import(`./${file}`)) as Bench;
  for (const bench of cases) if (isWanted(bench.name)) await compare(bench);
  if (!figures || !isWanted(file)) continue;
  row(['figure', 'measured', 'at most']);
  for (const { name, value, unit, target } of await figures()) {
    const measured = [name, `${value.toFixed(value < 1 ? 3 : 1)} ${unit}`];
    if (target === undefined) row(measured);
    else row([...measured, `${target} ${unit}`, value <= target ? 'ok' : 'MISSED']);
  }
}

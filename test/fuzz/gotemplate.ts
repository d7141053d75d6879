import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { applicationSetFunctions, compileTemplate } from '#lang/go-template';
import { data, TemplateMaker } from './gotemplate-template.ts';
import { Random } from './random.ts';

/**
 * Executes random templates here and in Go, and prints every template whose answers differ. With `--record FILE` it
 * writes Go's answers as a fixture of src/lang/go-template/testdata instead. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    templates: { type: 'string', default: '2000' },
    show: { type: 'string', default: '20' },
    record: { type: 'string' },
  },
});

type Answer = { out?: string; error?: string };

function ours(text: string): Answer {
  try {
    const options = { functions: applicationSetFunctions };
    return { out: compileTemplate('t', text, options).execute(data) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

const first = Number(values.seed);
const templates = Array.from({ length: Number(values.templates) }, (_none, at) =>
  new TemplateMaker(new Random((first + at) * 7919)).template(),
);
const questions = JSON.stringify(templates.map((text) => [data, text]));
const cwd = new URL('../../tools/oracles/', import.meta.url);
const answers: Answer[] = JSON.parse(
  execFileSync('go', ['run', './gotemplate'], {
    cwd,
    input: questions,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    timeout: 120_000,
  }),
);

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

function record(file: string): void {
  const lines = templates.flatMap((text, at) => {
    const theirs = answers[at] ?? {};
    if (!isComparable(ours(text), theirs)) return [];
    return [JSON.stringify(theirs.error === undefined ? [text, theirs.out] : [text, null, theirs.error])];
  });
  const head = `{"data":${JSON.stringify(data)},"options":[],"cases":[`;
  writeFileSync(file, `{"groups":[\n${head}\n${lines.join(',\n')}\n]}\n]}\n`);
}

/** Not: what has no date and prints as of now, an address or the inside of a time, and what exceeds a limit on either side. */
function isComparable(mine: Answer, theirs: Answer): boolean {
  if (/the clock is not available|needs more than/.test(mine.error ?? '')) return false;
  return theirs.error !== 'output limit' && !/\*time\.Location=|\{0+ -?[0-9]+ /.test(theirs.out ?? '');
}

function compare(): void {
  const count = { failed: 0, skipped: 0, differing: 0 };
  for (const [at, text] of templates.entries()) {
    const theirs = answers[at] ?? {};
    const mine = ours(text);
    if (theirs.error !== undefined) count.failed += 1;
    if (!isComparable(mine, theirs)) count.skipped += 1;
    else if (mine.out !== theirs.out || mine.error !== theirs.error) report(count, text, mine, theirs);
  }
  const { failed, skipped, differing } = count;
  say(`${templates.length} templates, ${failed} fail in Go, ${skipped} not compared, ${differing} differ`);
  if (differing > 0) process.exitCode = 1;
}

function report(count: { differing: number }, text: string, mine: Answer, theirs: Answer): void {
  count.differing += 1;
  if (count.differing > Number(values.show)) return;
  say(
    `${text}\n  ours ${JSON.stringify(mine.out ?? mine.error)}\n  go   ${JSON.stringify(theirs.out ?? theirs.error)}`,
  );
}

if (values.record) record(values.record);
else compare();

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutation, mutate, readMutations, root } from './list.ts';

/**
 * Removes one defence after the other from a copy of the project and runs the test that must notice. A mutation that no
 * test notices is a defence that the next change can lose in silence. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    attack: { type: 'string', default: '' },
    defence: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
  },
});

const copied = ['src', 'test', 'tools', 'ui', 'deploy', 'docs', 'examples', 'bench'];
const copiedFiles = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts', 'README.md'];
const deadlineMs = 600_000;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

type Failure = { readonly name: string; readonly message: string };
type Outcome = { readonly failed: readonly Failure[]; readonly ran: number; readonly output: string };
type Verdict = { readonly noticed?: Failure; readonly problem?: string };
type Report = {
  readonly testResults?: readonly {
    /** Why the file as a whole failed. */
    readonly message?: string;
    readonly assertionResults?: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
};

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'fairlead-mutation-'));
  for (const name of [...copied, ...copiedFiles]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function execute(cwd: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, timeout: deadlineMs, killSignal: 'SIGKILL' });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

type Run = {
  readonly files: readonly string[];
  /** The file that differs from the last build of the copy. */
  readonly changed?: string;
  /** Text that the full name of a test must contain to run; empty: all tests. */
  readonly named?: string;
};

/** Only tests below test/ start the built program, and few mutations concern the web UI, which takes longest to build. */
async function build(
  copy: string,
  { files, changed = 'ui/' }: Run,
): Promise<{ code: number | null; output: string }> {
  if (!files.some((file) => file.startsWith('test/'))) return { code: 0, output: '' };
  const keep = changed.startsWith('ui/') ? [] : ['--keep-ui'];
  return execute(copy, ['tools/build.js', '--program', ...keep]);
}

/** Builds the copy and runs test files in it. */
async function runTests(copy: string, run: Run): Promise<Outcome> {
  const built = await build(copy, run);
  if (built.code !== 0) return { failed: [], ran: 0, output: built.output };
  const { files, named = '' } = run;
  const reportFile = join(copy, 'report.json');
  rmSync(reportFile, { force: true });
  // the cache of transformed sources belongs to the project whose node_modules the copy borrows
  const apart = '--experimental.fsModuleCache=false';
  const options = ['--reporter=json', `--outputFile=${reportFile}`, '--maxWorkers=1', apart];
  if (named !== '') options.push(`--testNamePattern=${named.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
  const { output } = await execute(copy, ['node_modules/vitest/vitest.mjs', 'run', ...files, ...options]);
  if (!existsSync(reportFile)) return { failed: [], ran: 0, output };
  const report: Report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const all = (report.testResults ?? []).flatMap(({ assertionResults = [] }) => assertionResults);
  const results = all.filter(({ status }) => status === 'passed' || status === 'failed');
  const failed = results
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      name: fullName,
      message: failureMessages?.[0]?.split('\n')[0] ?? '',
    }));
  const reasons = (report.testResults ?? []).map(({ message = '' }) => message).join('\n');
  return { failed, ran: results.length, output: output + reasons };
}

/** Whether a test noticed that the defence is missing; else why that was not shown. */
async function judge(copy: string, mutation: Mutation): Promise<Verdict> {
  const path = join(copy, mutation.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, mutate(mutation, source));
  try {
    const { file, test, fails } = mutation;
    const { failed, ran, output } = await runTests(copy, { files: [test], changed: file, named: fails });
    const [noticed] = failed;
    if (noticed) return { noticed };
    if (ran === 0) return { problem: `no test "${fails}" of ${test} ran:\n${output.slice(-2_000)}` };
    return { problem: `${test} passes without it` };
  } finally {
    writeFileSync(path, source);
    if (mutation.file.startsWith('ui/')) rmSync(join(copy, 'dist'), { recursive: true, force: true });
  }
}

const mutations = readMutations().filter(
  ({ attack, defence }) =>
    (values.attack === '' || attack === Number(values.attack)) && defence.includes(values.defence),
);
if (mutations.length === 0) {
  print('no mutation matches: --attack takes a number, --defence a part of its sentence');
  process.exit(2);
}
const copies = Array.from({ length: Math.max(1, Number(values.lanes)) }, copyProject);
const unnoticed: string[] = [];

async function lane(copy: string, queue: Mutation[]): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { noticed, problem } = await judge(copy, next);
    const line = `attack ${next.attack}: ${next.defence}`;
    print(`${noticed ? 'noticed  ' : 'UNNOTICED'}  ${line}\n           ${noticed?.message ?? problem}`);
    if (!noticed) unnoticed.push(line);
  }
}

try {
  const [first = ''] = copies;
  const files = [...new Set(mutations.map(({ test }) => test))];
  const baseline = await runTests(first, { files });
  if (baseline.failed.length > 0 || baseline.ran === 0) {
    print(
      `the tests fail before anything is removed: ${baseline.failed.map(({ name, message }) => `${name}: ${message}`).join('; ')}`,
    );
    print(baseline.output.slice(-4_000));
    process.exitCode = 1;
  } else {
    const queue = [...mutations];
    await Promise.all(copies.map((copy) => lane(copy, queue)));
    print(`${mutations.length - unnoticed.length} passed, ${unnoticed.length} failed`);
    if (unnoticed.length > 0) process.exitCode = 1;
  }
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}

import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutation, mutate, root } from './list.ts';

const copied = ['src', 'test', 'tools', 'ui', 'deploy', 'docs', 'examples', 'bench'];
const copiedFiles = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts', 'README.md'];
/** For one test file, or one build. */
const limitMs = 600_000;

type Failure = { readonly name: string; readonly message: string };

export type Outcome = {
  readonly failed: readonly Failure[];
  /** How many tests passed or failed. */
  readonly ran: number;
  /** Why the run says nothing about the tests: the build failed, nothing ran, or it did not end within the limit. */
  readonly problem?: string;
};

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

type Ended = { readonly code: number | null; readonly output: string; readonly isLate: boolean };

/** A copy of the project in a folder of its own, in which one source at a time is changed and tests run. */
export class ProjectCopy {
  readonly #folder: string;
  readonly #limitMs: number;
  /** The source that differs from the project, and how; undefined: nothing was built. */
  #built: string | undefined;
  #child: ChildProcess | undefined;

  constructor(limit = limitMs) {
    this.#limitMs = limit;
    this.#folder = mkdtempSync(join(tmpdir(), 'fairlead-mutation-'));
    for (const name of [...copied, ...copiedFiles]) {
      const source = join(root, name);
      if (existsSync(source)) cpSync(source, join(this.#folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Runs a test file in the copy as it is; `named` is text that the full name of a test must contain to run. */
  async test(file: string, named = '', mutation?: Mutation): Promise<Outcome> {
    const built = await this.#build(file, mutation);
    if (built) return { failed: [], ran: 0, problem: built };
    const reportFile = join(this.#folder, 'report.json');
    rmSync(reportFile, { force: true });
    // the cache of transformed sources belongs to the project whose node_modules the copy borrows
    const apart = '--experimental.fsModuleCache=false';
    const options = ['--reporter=json', `--outputFile=${reportFile}`, '--maxWorkers=1', apart];
    if (named !== '') options.push(`--testNamePattern=${named.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
    const ended = await this.#execute(['node_modules/vitest/vitest.mjs', 'run', file, ...options]);
    if (ended.isLate) return { failed: [], ran: 0, problem: this.#late(file, ended) };
    if (!existsSync(reportFile))
      return { failed: [], ran: 0, problem: `no test ran:\n${tail(ended.output)}` };
    return outcomeOf(JSON.parse(readFileSync(reportFile, 'utf8')) as Report, ended.output);
  }

  /** Runs the test that must notice a mutation, with the mutation. */
  async testWith(mutation: Mutation): Promise<Outcome> {
    const path = join(this.#folder, mutation.file);
    const source = readFileSync(path, 'utf8');
    const { atime, mtime } = statSync(path);
    writeFileSync(path, mutate(mutation, source));
    try {
      return await this.test(mutation.test, mutation.fails, mutation);
    } finally {
      writeFileSync(path, source);
      // as old as before, so that the tests do not build the program once more
      utimesSync(path, atime, mtime);
    }
  }

  /** Ends what runs in it and deletes it. */
  remove(): void {
    this.#kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Only tests below test/ start the built program, and few mutations concern the web UI, which takes longest to build. */
  async #build(file: string, mutation?: Mutation): Promise<string | undefined> {
    const wanted = mutation ? `${mutation.file} ${mutation.with}` : '';
    if (!file.startsWith('test/') || this.#built === wanted) return undefined;
    const concernsPage = [this.#built, wanted].some((one) => one === undefined || one.startsWith('ui/'));
    this.#built = undefined;
    const keep = concernsPage ? [] : ['--keep-ui'];
    const ended = await this.#execute(['tools/build.js', '--program', ...keep]);
    if (ended.isLate) return this.#late('the build', ended);
    if (ended.code !== 0) return `the build failed:\n${tail(ended.output)}`;
    this.#built = wanted;
    return undefined;
  }

  #late(what: string, { output }: Ended): string {
    return `${what} did not end within ${this.#limitMs / 1000} s and was killed:\n${tail(output)}`;
  }

  #execute(args: readonly string[]): Promise<Ended> {
    return new Promise((resolve, reject) => {
      // a group of its own, so that the programs that a test started end with it
      const child = spawn(process.execPath, args, { cwd: this.#folder, detached: true });
      this.#child = child;
      let [output, isLate] = ['', false];
      const limit = AbortSignal.timeout(this.#limitMs);
      const onLimit = (): void => {
        isLate = true;
        this.#kill();
      };
      limit.addEventListener('abort', onLimit);
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk) => {
          output += chunk;
        });
      }
      child.on('error', reject);
      child.on('exit', (code) => {
        limit.removeEventListener('abort', onLimit);
        this.#child = undefined;
        resolve({ code, output, isLate });
      });
    });
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (!pid) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {} // it ended just now
  }
}

function outcomeOf({ testResults = [] }: Report, output: string): Outcome {
  const all = testResults.flatMap(({ assertionResults = [] }) => assertionResults);
  const results = all.filter(({ status }) => status === 'passed' || status === 'failed');
  const failed = results
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      name: fullName,
      message: failureMessages?.[0]?.split('\n')[0] ?? '',
    }));
  if (results.length > 0) return { failed, ran: results.length };
  const reasons = testResults.map(({ message = '' }) => message).join('\n');
  return { failed, ran: 0, problem: `no test ran:\n${tail(output + reasons)}` };
}

const tail = (output: string): string => output.slice(-2_000);

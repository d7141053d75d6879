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
import { type Ended, type Program, startProgram } from './program.ts';

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

/** A copy of the project in a folder of its own, in which one source at a time is changed and tests run. */
export class ProjectCopy {
  readonly #folder: string;
  /** The source that differs from the project, and how; undefined: nothing was built. */
  #built: string | undefined;
  #program: Program | undefined;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'fairlead-mutation-'));
    for (const name of [...copied, ...copiedFiles]) {
      const source = join(root, name);
      if (existsSync(source)) cpSync(source, join(this.#folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /** Runs a test file in the copy as it is; a test runs whose full name contains one of `named`, or every one. */
  async test(file: string, named: readonly string[] = [], mutation?: Mutation): Promise<Outcome> {
    const built = await this.#build(file, mutation);
    if (built) return { failed: [], ran: 0, problem: built };
    const reportFile = join(this.#folder, 'report.json');
    rmSync(reportFile, { force: true });
    // the cache of transformed sources belongs to the project whose node_modules the copy borrows
    const apart = '--experimental.fsModuleCache=false';
    const options = ['--reporter=json', `--outputFile=${reportFile}`, '--maxWorkers=1', apart];
    if (named.length > 0) options.push(`--testNamePattern=${named.map(quoted).join('|')}`);
    const ended = await this.#execute(['node_modules/vitest/vitest.mjs', 'run', file, ...options]);
    if (ended.isLate) return { failed: [], ran: 0, problem: late(file, ended) };
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
      return await this.test(mutation.test, mutation.fails ? [mutation.fails] : [], mutation);
    } finally {
      writeFileSync(path, source);
      // as old as before, so that the tests do not build the program once more
      utimesSync(path, atime, mtime);
    }
  }

  /** Ends what runs in it and deletes it. */
  remove(): void {
    this.#program?.kill();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Only tests below test/ start the built program, and few mutations concern the web UI, which takes longest to build. */
  async #build(file: string, mutation?: Mutation): Promise<string | undefined> {
    const wanted = mutation ? JSON.stringify([mutation.file, mutation.replace, mutation.with]) : '';
    if (!file.startsWith('test/') || this.#built === wanted) return undefined;
    const concernsPage = [this.#built, wanted].some((one) => one === undefined || one.startsWith('["ui/'));
    this.#built = undefined;
    const keep = concernsPage ? [] : ['--keep-ui'];
    const ended = await this.#execute(['tools/build.js', '--program', ...keep]);
    if (ended.isLate) return late('the build', ended);
    if (ended.code !== 0) return `the build failed:\n${tail(ended.output)}`;
    this.#built = wanted;
    return undefined;
  }

  async #execute(args: readonly string[]): Promise<Ended> {
    this.#program = startProgram(args, { cwd: this.#folder, limitMs });
    return this.#program.ended;
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

const late = (what: string, { output }: Ended): string =>
  `${what} did not end within ${limitMs / 1000} s and was killed:\n${tail(output)}`;

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const tail = (output: string): string => output.slice(-2_000);

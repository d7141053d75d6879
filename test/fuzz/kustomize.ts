import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type KubeObject, memoryTree } from '#base/model';
import { realClock, silent } from '#base/std';
import { parse, printAll } from '#lang/yaml';
import { findTool } from '#platform/exec';
import { buildKustomization } from '#sources/kustomize';
import { toolCache } from '../manifests.ts';
import { compare, realAnswer, type Verdict } from './kustomize-compare.ts';
import { randomTree, type Tree } from './kustomize-tree.ts';
import { upstreamTrees } from './kustomize-upstream.ts';
import { Random } from './random.ts';

/**
 * Builds random trees, with `--upstream` those that Kustomize tests itself with, in process and with the real Kustomize, and prints every
 * tree on which they differ. With
 * `--record`, writes the real engine's answers into the cases of src/sources/kustomize/testdata instead. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    trees: { type: 'string', default: '300' },
    rarely: { type: 'string', default: '0.03' },
    record: { type: 'boolean', default: false },
    upstream: { type: 'boolean', default: false },
  },
});

const atOnce = 2;
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const kustomize = await findTool(ctx, 'kustomize', { searchPath: '', cacheDir: toolCache });

type Job = { readonly name: string; readonly files: Tree; readonly path: string };

/** Builds each tree both ways, a few at a time, and prints the differences, why ours declined, and the counts. */
async function compareAll(jobs: Iterator<Job>): Promise<void> {
  const counts = { same: 0, declined: 0, refused: 0, wrong: 0 };
  const reasons = new Map<string, number>();
  const tell = ({ name, files }: Job, { is, detail }: Verdict): void => {
    counts[is] += 1;
    if (is === 'declined') reasons.set(detail, (reasons.get(detail) ?? 0) + 1);
    if (is === 'wrong') say(`${name}: ${detail}\n${printAll([{ files }])}`);
  };
  const worker = async (): Promise<void> => {
    for (let next = jobs.next(); !next.done; next = jobs.next())
      tell(next.value, await compare(kustomize, next.value.files, next.value.path));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const [reason, times] of [...reasons].sort(([, a], [, b]) => b - a)) say(`${times} × ${reason}`);
  say(JSON.stringify(counts));
  if (counts.wrong > 0) process.exitCode = 1;
}

function* randomJobs(first: number, count: number): Generator<Job> {
  for (let seed = first; seed < first + count; seed++) {
    const files = randomTree(new Random(seed * 7919), Number(values.rarely));
    yield { name: `seed ${seed}`, files, path: 'app' };
  }
}

async function record(): Promise<void> {
  const folder = new URL('../../src/sources/kustomize/testdata/', import.meta.url);
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.yaml'))) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const about = /^(?:#.*\n)*/.exec(text)?.[0] ?? '';
    const told = parse(text) as { files: Tree; path?: string };
    const expect = await expectation(name, told.files, told.path ?? 'app');
    writeFileSync(new URL(name, folder), `${about}${printAll([told, { expect }])}`);
    say(`${name}: ${expect.declined ?? 'built'}`);
  }
}

type Expectation = { readonly declined?: string; readonly objects?: readonly KubeObject[] };

/** What a case says: the real engine's objects, and why ours leaves them to it, if it does. */
async function expectation(name: string, files: Tree, path: string): Promise<Expectation> {
  const ours = await buildKustomization({ tree: memoryTree(files), path });
  const real = await realAnswer(kustomize, files, path);
  const declined = 'declined' in ours ? { declined: ours.declined } : {};
  if ('objects' in real) return { ...declined, objects: real.objects };
  if ('objects' in ours) throw new Error(`${name}: ${real.error}`);
  return declined;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const jobs = (): Iterator<Job> =>
  values.upstream ? upstreamTrees().values() : randomJobs(Number(values.seed), Number(values.trees));
await (values.record ? record() : compareAll(jobs()));

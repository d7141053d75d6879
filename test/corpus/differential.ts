import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '#base/model';
import { FairleadError, isObject, silent } from '#base/std';
import { run } from '#platform/exec';
import type { ManifestRequest } from '#sources/manifests';
import { type ManifestsFixture, manifestsFixture } from '../manifests.ts';
import { type Corpus, type Example, examples } from './example.ts';
import { comparable, type Result, realEngine } from './real-engine.ts';

/** The same files twice: in a repository that we render, and in a folder where the real engines run as for a person. */
type Bench = {
  /** What an Application with the example's options renders to. */
  ours(example: Example): Promise<Result>;
  /** What the engine itself makes of the folder. */
  theirs(example: Example): Promise<Result>;
  close(): Promise<void>;
};

/** One test for each example of a corpus (DT-1). */
export function testCorpus(corpus: Corpus, leastExamples: number): void {
  const all = examples(corpus);

  test(`the corpus has at least ${leastExamples} examples (DT-2)`, () => {
    expect(all.length).toBeGreaterThanOrEqual(leastExamples);
  });

  describe(corpus, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await createBench(corpus, all);
    });
    afterAll(() => bench.close());

    const named = all.map((example) => [example.name, example.about, example] as const);
    test.each(named)('%s: %s', (_name, _about, example) => compare(bench, example));
  });
}

/** Lays out a whole corpus once, for all its examples. */
async function createBench(corpus: Corpus, all: readonly Example[]): Promise<Bench> {
  const fixture = await manifestsFixture();
  const checkout = join(fixture.folder, 'checkout');
  await cp(join(import.meta.dirname, 'testdata', corpus), checkout, {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const example of all) await pack(fixture, checkout, example);
  await cp(checkout, fixture.repo.dir, { recursive: true, verbatimSymlinks: true });
  for (const { name } of all) await rm(join(fixture.repo.dir, name, 'edited.yaml'), { force: true });
  await fixture.repo.commit({});
  for (const example of all) await edit(checkout, example);
  const oracle = corpus === 'helm' ? template : build;
  return {
    ours: (example) => rendered(fixture, example),
    theirs: (example) => oracle(fixture, join(checkout, example.name), example),
    close: () => fixture.close(),
  };
}

/** Archives are made once, for both sides. */
async function pack(
  fixture: ManifestsFixture,
  checkout: string,
  { name, archives = [] }: Example,
): Promise<void> {
  for (const { chart, into } of archives) {
    await prepared(fixture, ['package', chart, '--destination', into], join(checkout, name));
  }
}

async function prepared(fixture: ManifestsFixture, args: readonly string[], cwd: string): Promise<void> {
  const { ctx, helm, folder } = fixture;
  const limits = { ms: 60_000, stdoutBytes: 1024 * 1024, stderrBytes: 1024 * 1024 };
  const { code, stderr } = await run(ctx, {
    program: helm.command,
    args,
    cwd,
    env: { HOME: folder },
    limits,
  });
  if (code !== 0) throw new Error(stderr);
}

/** What `kustomize edit` would have written for the options of the Application, written down by hand. */
async function edit(checkout: string, { name, path = '.' }: Example): Promise<void> {
  const edited = join(checkout, name, 'edited.yaml');
  const dir = join(checkout, name, path);
  const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
  const file = (await readdir(dir)).find((entry) => names.includes(entry));
  if (file) await rename(edited, join(dir, file)).catch(unlessAbsent);
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function rendered(fixture: ManifestsFixture, example: Example): Promise<Result> {
  const warnings: string[] = [];
  try {
    const ctx = { ...fixture.ctx, log: { ...silent, warn: (message: string) => warnings.push(message) } };
    const { objects } = await fixture.manifests.generate(ctx, requestOf(fixture, example));
    expect(warnings.length > 0).toBe(example.wholeRepository ?? false);
    return { objects };
  } catch (error) {
    if (error instanceof FairleadError && error.code !== 'Internal') return { failure: error.message };
    throw error;
  }
}

function requestOf(fixture: ManifestsFixture, example: Example): ManifestRequest {
  const { name, path = '.', kustomize, helm, sources, buildOptions } = example;
  const source = { path, ...(kustomize && { kustomize }), ...(helm && { helm }) };
  const placed = (sources ?? [source]).map((one): Source => {
    const place = { repoURL: fixture.repo.dir, targetRevision: 'main' };
    return one.path === undefined ? { ...place, ...one } : { ...place, ...one, path: join(name, one.path) };
  });
  const more = {
    sources: placed,
    ...(sources && { multiSource: true }),
    ...(buildOptions && { settings: { kustomizeBuildOptions: buildOptions } }),
  };
  return fixture.request({}, more);
}

function build(fixture: ManifestsFixture, dir: string, { path = '.', flags = [] }: Example): Promise<Result> {
  return realEngine(fixture, fixture.kustomize, [...flags, '.'], join(dir, path));
}

/** The release, namespace, version and interfaces are those of `fixture.request`. */
const usual = [
  ...['template', 'shop', '.', '--namespace', 'shop-ns', '--include-crds'],
  ...['--kube-version', '1.33.4', '--api-versions', 'serving.knative.dev/v1'],
];

async function template(fixture: ManifestsFixture, dir: string, example: Example): Promise<Result> {
  const { path = example.sources?.[0]?.path ?? '.', flags = [], command = usual, prepare } = example;
  if (prepare) await prepared(fixture, prepare, join(dir, path));
  return realEngine(fixture, fixture.helm, [...command, ...flags], join(dir, path));
}

/** The same objects, or the same kind of failure at the same place; and what the example says of them. */
async function compare(bench: Bench, example: Example): Promise<void> {
  const [ours, theirs] = await Promise.all([
    bench.ours(example),
    example.refuses ? undefined : bench.theirs(example),
  ]);
  if (theirs) expect(comparable(ours)).toEqual(comparable(theirs));
  if ('failure' in ours) expectFailure(ours.failure, example);
  else expectObjects(ours.objects, example);
}

function expectFailure(failure: string, { refuses, fails }: Example): void {
  if (refuses) expect(failure).toContain(refuses);
  else expect(comparable({ failure })).toMatchObject({ fails: fails ?? 'nothing' });
}

function expectObjects(
  objects: readonly unknown[],
  { refuses, fails, holds = [], lacks = [] }: Example,
): void {
  expect({ refuses, fails }).toEqual({}); // it was to fail
  for (const part of holds) expect(objects).toContainEqual(containing(part));
  for (const name of lacks) expect(objects.map(nameOf)).not.toContain(name);
}

/** A part of an object: maps may hold more than it names, lists and scalars are whole. */
function containing(part: unknown): unknown {
  if (!isObject(part) || Object.keys(part).length === 0) return part;
  const fields = Object.entries(part).map(([key, value]) => [key, containing(value)]);
  return expect.objectContaining(Object.fromEntries(fields));
}

const nameOf = (object: unknown): unknown =>
  isObject(object) && isObject(object.metadata) ? object.metadata.name : undefined;

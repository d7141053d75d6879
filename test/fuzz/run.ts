import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printJson } from '#base/std';
import { print } from '#lang/yaml';
import type { Answer, Case, Step } from '../conformance/case.ts';
import { type Difference, differences } from '../conformance/compare.ts';
import { play } from '../conformance/play.ts';
import { openTarget, type Target } from '../conformance/target.ts';
import { Random } from './random.ts';
import { type Request, requestAbout } from './request.ts';
import { readSeeds, type Seed } from './seed.ts';

/**
 * Asks a real cluster (FAIRLEAD_TEST_KUBECONFIG) and the embedded one the same random things and prints, for every way
 * in which they differ, the smallest request that shows it, as a case for the conformance suite. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '2000' },
    kind: { type: 'string', default: '' },
    out: { type: 'string', default: '' },
  },
});

const perCase = 25;
const atOnce = 6;

type Finding = { readonly seed: Seed; readonly request: Request; readonly found: readonly Difference[] };
type Pair = { readonly real: Target; readonly ours: Target };

/** What differs for a reason that test/conformance/known-differences.yaml tells, or because the clusters are furnished differently. */
const accepted: readonly { readonly kind?: string; readonly path: RegExp }[] = [
  { path: /\/columnDefinitions\/\d+\/description$/ },
  { kind: 'PersistentVolumeClaim', path: /\/spec\/storageClassName$/ },
  { kind: 'Ingress', path: /\/(?:status|managedFields|resourceVersion)/ },
  // nodes of the embedded cluster satisfy any selector
  { kind: 'DaemonSet', path: /\/(?:status|managedFields|resourceVersion)/ },
  { kind: 'FlowSchema', path: /\/(?:status|managedFields|resourceVersion)/ },
  { kind: 'Service', path: /\/clusterIPs?/ },
];

/** An object told inside a text comes with its fields in another order here. */
const isInside = ({ real, ours }: Difference): boolean =>
  [real, ours].every((text) => typeof text === 'string' && /(?:patch: |^)Invalid value: "\{/.test(text));

const isAccepted = ({ body }: Seed, difference: Difference): boolean =>
  isInside(difference) ||
  accepted.some(
    (one) => (one.kind === undefined || one.kind === body.kind) && one.path.test(difference.path),
  );

/** What both answered to the requests, each after the seed was made, where that differs. */
async function compare(pair: Pair, seed: Seed, requests: readonly Request[]): Promise<Finding[]> {
  const steps = [...seed.steps, ...requests.map(({ step }) => step)];
  const one = caseOf(steps);
  const [real = [], ours = []] = await Promise.all([
    play(pair.real, one).catch(failing('the real cluster')),
    play(pair.ours, one).catch(failing('the embedded cluster')),
  ]);
  const told = (answer: Answer | undefined) => ({ ...answer });
  return requests.flatMap((request, index) => {
    const at = seed.steps.length + index;
    const found = differences(told(real[at]), told(ours[at])).filter((one) => !isAccepted(seed, one));
    return found.length > 0 ? [{ seed, request, found }] : [];
  });
}

const failing = (where: string) => (error: Error) => {
  throw new Error(`${where}: ${error.message}`, { cause: error });
};

function caseOf(steps: readonly Step[]): Case {
  const source = printJson(steps);
  return { name: 'fuzz', about: 'fuzz', needs: [], settings: {}, steps, file: '', source };
}

/** The same difference with fewer mistakes, if there is one. */
async function smallest(pair: Pair, finding: Finding): Promise<Finding> {
  const { fewer } = finding.request;
  if (fewer.length === 0) return finding;
  const found = await compare(pair, finding.seed, fewer);
  const simpler = found.find((one) => one.request.fewer.length === 0) ?? found[0];
  return simpler ? smallest(pair, simpler) : finding;
}

/** Differences are alike when they are of one kind of object, at the same places, and say the same but for values. */
function likeness({ seed, found }: Finding): string {
  const [first] = found;
  const shape = (value: unknown) =>
    String(typeof value === 'object' ? printJson(value) : value)
      .replace(/"[^"]*"/g, '""')
      .replace(/[a-z]+(?:\[\d+\]|\.[a-zA-Z]+)+/g, 'path')
      .replace(/\d+/g, '0')
      .slice(0, 200);
  return [seed.body.kind, first?.path.replace(/\d+/g, '0'), shape(first?.real), shape(first?.ours)].join(
    ' | ',
  );
}

const said = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : String(typeof value === 'object' ? printJson(value) : value).slice(0, 400);

function report({ seed, request, found }: Finding, number: number): void {
  const shown = found
    .slice(0, 4)
    .map(({ path, real, ours }) => `#   ${path}\n#     real: ${said(real)}\n#     here: ${said(ours)}`);
  const body = { about: 'what a real cluster answers', steps: [...seed.steps, request.step] };
  const text = `# ${number}: ${String(seed.body.kind)}\n${shown.join('\n').replaceAll(/\n(?!#)/g, '\n#       ')}\n${print(body)}`;
  process.stdout.write(`${shown.length > 0 ? text : ''}\n`);
  if (values.out)
    writeFileSync(join(values.out, `${String(seed.body.kind).toLowerCase()}-${number}.yaml`), text);
}

/** Tells every way to differ once. */
class News {
  readonly #pair: Pair;
  readonly #known = new Set<string>();
  count = 0;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  async tell(finding: Finding): Promise<void> {
    if (!this.#isNew(finding)) return;
    const small = await smallest(this.#pair, finding);
    if (small !== finding && !this.#isNew(small)) return;
    this.count += 1;
    report(small, this.count);
  }

  #isNew(finding: Finding): boolean {
    const like = likeness(finding);
    const isNew = !this.#known.has(like);
    this.#known.add(like);
    return isNew;
  }
}

async function main(): Promise<void> {
  const kubeconfig = process.env.FAIRLEAD_TEST_KUBECONFIG;
  if (!kubeconfig) throw new Error('set FAIRLEAD_TEST_KUBECONFIG to a real cluster that may be written to');
  const pair = { real: await openTarget(kubeconfig), ours: await openTarget('') };
  const random = new Random(Number(values.seed));
  const seeds = readSeeds().filter(({ body }) => !values.kind || body.kind === values.kind);
  const batches = Array.from({ length: Math.ceil(Number(values.requests) / perCase) }, (_, at) => {
    const seed = seeds[at % seeds.length] as Seed;
    return { seed, requests: Array.from({ length: perCase }, () => requestAbout(random, seed)) };
  });
  const news = new News(pair);
  const work = async (): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { seed } = batch;
      const findings = await compare(pair, seed, batch.requests).catch((error: Error) => {
        process.stdout.write(`# ${String(seed.body.kind)}: ${error.message}\n`);
        return [];
      });
      for (const finding of findings) await news.tell(finding);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await pair.real.close();
    await pair.ours.close();
  }
  process.stdout.write(`# ${news.count} ways to differ\n`);
}

await main();

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '#base/model';
import { parse } from '#lang/yaml';

/** Parts of objects, by `Kind/name`. */
export type Wanted = Readonly<Record<string, unknown>>;

/** One action of a user, or the state that the controller must reach. Exactly one field is set. */
export type Step = {
  /** Objects that are applied, one after the other. */
  readonly apply?: readonly KubeObject[];
  readonly patch?: {
    readonly kind: string;
    readonly name: string;
    readonly subresource?: string;
    readonly body: object;
  };
  /** What is typed after `kubectl argo rollouts`. */
  readonly plugin?: string;
  readonly delete?: { readonly kind: string; readonly name?: string; readonly selector?: string };
  /** What web metrics at `$WEB/<name>` receive from now on. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** Both controllers must bring the namespace there; then everything in it is compared. */
  readonly until?: Wanted;
};

export type Scenario = {
  readonly name: string;
  readonly about: string;
  /** The vectors of the contract that it plays. */
  readonly vectors: readonly number[];
  /** With `$NS` and `$WEB` in place. */
  steps(values: { readonly NS: string; readonly WEB: string }): readonly Step[];
};

/** A difference that the contract wants. */
export type Accepted = {
  /** The rule of docs/contract/rollouts.md. */
  readonly rule: string;
  readonly reason: string;
  /** Left out: every scenario. */
  readonly scenario?: string;
  /** The place, as a JSON Pointer with `*` for any one field; everything below it included. */
  readonly path: string;
  /** A regular expression: without what it matches in ours, both texts are equal. Left out: anything may differ there. */
  readonly without?: string;
  /** It depends on timing whether there is a difference. */
  readonly sometimes?: boolean;
};

const folder = new URL('./', import.meta.url);
const verbs: readonly string[] = ['apply', 'patch', 'plugin', 'delete', 'answer', 'until'];

/** All scenarios, by name. */
export function readScenarios(): Scenario[] {
  const files = readdirSync(new URL('scenarios/', folder)).filter((file) => file.endsWith('.yaml'));
  return files.sort().map(readScenario);
}

function readScenario(file: string): Scenario {
  const source = readFileSync(new URL(`scenarios/${file}`, folder), 'utf8');
  const stepsIn = (text: string) =>
    parse(text, { name: file }) as Omit<Scenario, 'name' | 'steps'> & { steps: Step[] };
  const { about, vectors = [], steps } = stepsIn(source);
  if (!about || !Array.isArray(steps) || steps.length === 0) throw new Error(`${file} needs about and steps`);
  for (const step of steps) {
    const [verb = '', ...more] = Object.keys(step);
    if (!verbs.includes(verb) || more.length > 0)
      throw new Error(`${file}: a step has one of ${verbs.join(', ')}, not ${Object.keys(step).join(', ')}`);
  }
  return {
    ...{ name: file.replace(/\.yaml$/, ''), about, vectors },
    steps: ({ NS, WEB }) => stepsIn(source.replaceAll('$NS', NS).replaceAll('$WEB', WEB)).steps,
  };
}

export function readAccepted(): Accepted[] {
  const text = readFileSync(fileURLToPath(new URL('accepted.yaml', folder)), 'utf8');
  return (parse(text, { name: 'accepted.yaml' }) ?? []) as Accepted[];
}

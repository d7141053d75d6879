import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findType, type JsonObject, type StructType } from '#kubernetes/schema';
import { cases } from '../../../../test/cases.ts';
import { applyStrategicPatch } from './apply.ts';
import { createStrategicPatch } from './create.ts';
import { createThreeWayStrategicPatch } from './three-way.ts';

type Outcome = { result?: unknown; patch?: unknown; applied?: unknown; error?: string };

const folder = (name: string): URL => new URL(`./testdata/${name}/`, import.meta.url);

function typeOf({ apiVersion, kind }: JsonObject): StructType {
  const [group, version] = String(apiVersion).includes('/')
    ? String(apiVersion).split('/')
    : ['', apiVersion];
  const type = findType({ group: String(group), version: String(version), kind: String(kind) });
  if (type === undefined) throw new Error(`no type for ${String(kind)}`);
  return type;
}

function outcome(work: () => Outcome): Outcome {
  try {
    return work();
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const podType = typeOf({ apiVersion: 'v1', kind: 'Pod' });

describe('apply', () => {
  test.each(cases<Outcome>(folder('apply')))('$name', ({ input, expect: wanted }) => {
    const [target, { patch }] = input;
    const before = structuredClone([target, patch]);
    expect(outcome(() => ({ result: applyStrategicPatch(target, patch, typeOf(target)) }))).toEqual(wanted);
    expect([target, patch]).toEqual(before);
  });
});

describe('create', () => {
  test.each(cases<Outcome>(folder('create')))('$name', ({ input, expect: wanted }) => {
    const [{ from, to }] = input;
    expect(outcome(() => ({ patch: createStrategicPatch(from, to, typeOf(from)) }))).toEqual(wanted);
  });
});

describe('three-way', () => {
  test.each(cases<Outcome>(folder('three-way')))('$name', ({ input, expect: wanted }) => {
    const [sides] = input;
    const type = typeOf(sides.modified);
    const patch = createThreeWayStrategicPatch(sides, type);
    expect({ patch, applied: applyStrategicPatch(sides.current, patch, type) }).toEqual(wanted);
  });
});

test('a new value brings no directives and no nulls with it', () => {
  const volume = { name: 'v', configMap: null, emptyDir: {}, $retainKeys: ['emptyDir', 'name'] };
  const patched = applyStrategicPatch({ spec: { volumes: [] } }, { spec: { volumes: [volume] } }, podType);
  expect(patched).toEqual({ spec: { volumes: [{ name: 'v', emptyDir: {} }] } });
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const word = fc.constantFrom('x', 'y', 'z');
const keyed = <T>(item: fc.Arbitrary<T>, by: (item: T) => unknown): fc.Arbitrary<T[]> =>
  fc.uniqueArray(item, { selector: by, maxLength: 4 });
const variable = fc.record({ name, value: word }, { requiredKeys: ['name'] });
const container = fc.record(
  {
    name,
    image: word,
    args: fc.array(word, { maxLength: 2 }),
    env: keyed(variable, (item) => item.name),
    resources: fc.record({ limits: fc.dictionary(word, word, { noNullPrototype: true }) }),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.oneof(
  fc.record({ name, emptyDir: fc.constant({}) }),
  fc.record({ name, configMap: fc.record({ name: word }) }),
);
const pod = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Pod'),
  metadata: fc.record({ labels: fc.dictionary(name, word, { noNullPrototype: true }) }),
  spec: fc.record(
    {
      containers: keyed(container, (item) => item.name),
      volumes: keyed(volume, (item) => item.name),
      nodeName: word,
      tolerations: fc.array(fc.record({ key: word }), { maxLength: 2 }),
    },
    { requiredKeys: ['containers'] },
  ),
});

/** Lists that merge by name have no order of their own. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(unordered);
    const isKeyed = items.every((item) => typeof item === 'object' && item !== null && 'name' in item);
    return isKeyed ? items.sort((a: any, b: any) => (a.name < b.name ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  // an emptied list and a missing one are the same to a patch
  const kept = Object.entries(value).filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(kept.map(([key, item]) => [key, unordered(item)]));
}

test('invariant 3: applying the difference gives the other side, up to the order of keyed lists', () => {
  fc.assert(
    fc.property(pod, pod, (from, to) => {
      const patch = createStrategicPatch(from, to, podType);
      expect(unordered(applyStrategicPatch(from, patch, podType))).toEqual(unordered(to));
    }),
    { numRuns: 300 },
  );
});

test('a three-way patch is idempotent: once applied, there is nothing left to do', () => {
  fc.assert(
    fc.property(pod, pod, pod, (original, modified, current) => {
      const patch = createThreeWayStrategicPatch({ original, modified, current }, podType);
      const applied = applyStrategicPatch(current, patch, podType);
      const again = createThreeWayStrategicPatch({ original: modified, modified, current: applied }, podType);
      expect(unordered(applyStrategicPatch(applied, again, podType))).toEqual(unordered(applied));
    }),
    { numRuns: 200 },
  );
});

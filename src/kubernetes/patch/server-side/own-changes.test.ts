import { expect, test } from 'vitest';
import { findType, type JsonObject, type StructType } from '#kubernetes/schema';
import { applyServerSide } from './managed-fields.ts';
import { ownChanges } from './own-changes.ts';

const type = findType({ group: 'apps', version: 'v1', kind: 'Deployment' }) as StructType;
const deployment = (containers: object[], metadata: object = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...metadata },
  spec: { template: { spec: { containers } } },
});

function applied(live: JsonObject, configuration: JsonObject, manager = 'us'): JsonObject {
  const result = applyServerSide(live, configuration, { manager, time: '', type, force: true });
  if (result.outcome === 'conflict') throw new Error('a forced apply met a conflict');
  return result.object;
}

const web = { name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] };
const side = { name: 'side', image: 'side:1' };
const bare = deployment([]);
const own = { manager: 'us', type };

/** The same answer as a webhook leaves it: nobody is recorded for what it did. */
function mutated(
  answer: JsonObject,
  change: (containers: Record<string, unknown>[]) => unknown[],
): JsonObject {
  const spec = answer.spec as { template: { spec: { containers: Record<string, unknown>[] } } };
  const containers = change(structuredClone(spec.template.spec.containers));
  return { ...answer, spec: { template: { spec: { containers } } } };
}

test('what a webhook adds, changes and removes is left as it is live (D-24)', () => {
  const live = applied(applied(bare, deployment([web])), deployment([side]), 'them');
  const answer = applied(live, deployment([{ ...web, image: 'web:2' }]));
  const changed = mutated(answer, ([first]) => [
    { ...first, imagePullPolicy: 'Always' },
    { name: 'injected', image: 'x' },
  ]);
  expect(ownChanges(live, changed, own)).toEqual(deployment([{ ...web, image: 'web:2' }, side]));
});

test('what we give up is gone, item or field (D-24)', () => {
  const live = applied(bare, deployment([web, side]));
  const { ports: _ports, ...portless } = web;
  expect(ownChanges(live, applied(live, deployment([portless])), own)).toEqual(deployment([portless]));
});

test('an item keeps the keys that a default filled in (D-24)', () => {
  const live = deployment([{ ...web, ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 1 }] }]);
  const wanted = deployment([{ ...web, ports: [{ containerPort: 80, hostPort: 2 }] }]);
  const answer = applied(live, wanted);
  expect(ownChanges(live, answer, own)).toEqual(
    deployment([{ ...web, ports: [{ containerPort: 80, protocol: 'TCP', hostPort: 2 }] }]),
  );
});

const since: readonly (readonly [what: string, theirs: JsonObject])[] = [
  ['a list', deployment([], { finalizers: ['example.com/a'] })],
  ['a map', deployment([], { labels: { team: 'a' } })],
  ['a mapping with mappings in it', { ...bare, spec: { strategy: { rollingUpdate: { maxSurge: 1 } } } }],
  ['a field of an item', deployment([{ name: 'web', resources: { limits: { cpu: '1' } } }])],
];
test.each(since)(
  '%s that another writer added since the live object was read is no change (D-24)',
  (_what, theirs) => {
    const live = applied(bare, deployment([web]));
    const answer = applied(applied(live, theirs, 'them'), deployment([web]));
    expect(ownChanges(live, answer, own)).toEqual(deployment([web]));
  },
);

test('an answer without a record of ours tells nothing (D-24)', () => {
  const live = applied(bare, deployment([web]), 'them');
  expect(() => ownChanges(live, live, own)).toThrow('records no fields of the manager us');
});

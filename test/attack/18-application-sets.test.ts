import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { configMap, type Plane, startPlane } from '../e2e/in-process.ts';
import { conditionOf, listOf, SetsOnPlane } from '../e2e/sets-on-plane.ts';
import { applicationSetOf, startTenants, type Tenants } from '../e2e/tenants.ts';

// Attack 18: a set whose project is a template, two sets that generate one name, and a generator that fails: none of them gives
// rights to whom they do not belong, takes an application from its owner, or deletes anything.

let plane: Plane;
let sets: SetsOnPlane;
let tenants: Tenants;
beforeAll(async () => {
  plane = await startPlane();
  sets = new SetsOnPlane(plane);
  await plane.repository.commit({
    'apps/base.yaml': JSON.stringify(configMap('base', {})),
    'teams/red/a.yaml': JSON.stringify(configMap('red', {})),
    'teams/blue/a.yaml': JSON.stringify(configMap('blue', {})),
  });
  tenants = await startTenants();
});
afterAll(async () => {
  await plane?.stop();
  await tenants?.fairlead.stop();
  if (tenants) forget(tenants.fairlead);
});

test.each(['{{name}}', 'shop{{name}}', '{{ .project }}'])(
  'a role of a project creates no set whose project is %s',
  async (project) => {
    const set = applicationSetOf('templated', project, 'https://git.invalid/shop');
    for (const who of ['dev', 'admin'] as const) {
      const answer = await tenants.ask(who, 'POST', '/api/v1/applicationsets', set);
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { message: string }).message).toContain('templated `project`');
    }
    const other = applicationSetOf('other', 'bank', 'https://git.invalid/shop');
    expect((await tenants.ask('dev', 'POST', '/api/v1/applicationsets', other)).status).toBe(403);
  },
);

test('a second set does not get the application of the first by generating its name', async () => {
  await plane.apply(sets.setOf('first', { generators: [listOf('dev')] }));
  const set = await sets.untilUpToDate('first');
  const template = sets.templateOf('first');
  const destination = { ...template.spec?.destination, namespace: 'theirs' };
  const theirs = { ...template, spec: { ...template.spec, destination } };
  await plane.apply(sets.setOf('second', { generators: [listOf('dev')], template: theirs }));
  const refused = await sets.untilSet(
    'second',
    'refused',
    (one) => conditionOf(one, 'ErrorOccurred')?.status === 'True',
  );
  expect(conditionOf(refused, 'ErrorOccurred')?.message).toContain(
    'first-dev is already owned by ApplicationSet first',
  );
  const app = await plane.app('first-dev');
  expect(app.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([set.metadata.uid]);
  expect(app.spec.destination.namespace).toBe('first-dev');
  // the set that owns nothing deletes nothing
  await sets.remove('ApplicationSet', 'second');
  await plane.pass(60_000);
  expect(await sets.namesOf('first')).toEqual(['first-dev']);
});

test('a generator that fails deletes nothing, however often it fails', async () => {
  const git = { repoURL: plane.url, revision: 'HEAD', directories: [{ path: 'teams/*' }] };
  const template = { ...sets.templateOf('team'), metadata: { name: 'team-{{path.basename}}' } };
  await plane.apply(sets.setOf('team', { generators: [{ git }], template }));
  await sets.untilNames('team', 'blue', 'red');
  const broken = { git: { ...git, revision: 'no-such-branch' } };
  await sets.edit('ApplicationSet', 'team', { spec: { generators: [broken] } });
  await sets.untilSet('team', 'failing', (one) => conditionOf(one, 'ErrorOccurred')?.status === 'True');
  await plane.pass(10 * 60_000);
  expect(await sets.namesOf('team')).toEqual(['team-blue', 'team-red']);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import {
  clearOverride,
  commitTraffic,
  overrideTraffic,
  planTraffic,
  type TrafficDeps,
  type TrafficOrder,
} from '#control/traffic';
import { overridesOf } from '#engine/traffic';
import { orderFor, startTrafficPlane, type TrafficPlane } from './traffic-plane.ts';

// What src/control/traffic promises when something comes between: other commits, other people, other applications and a crash.

let plane: TrafficPlane;
beforeAll(async () => {
  plane = await startTrafficPlane();
});
afterAll(() => plane?.stop());

const service = (name: string, traffic = `${name}-v1`) => `apiVersion: serving.knative.dev/v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec:
  template: { spec: { containers: [{ image: "${name}:2" }] } }
  traffic:
    - revisionName: ${traffic}
      percent: 100
`;
const kustomization = (more: object = {}) => JSON.stringify({ resources: ['service.yaml'], ...more });
const filesOf = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  [`${name}/service.yaml`]: service(name),
  [`${name}/kustomization.yaml`]: kustomization(),
  ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`${name}/${path}`, text])),
});
const tip = () => plane.repository.git('rev-parse', 'main');
const permit = (): void => {};
const push = (deps: TrafficDeps, placed: Awaited<ReturnType<TrafficPlane['begin']>>, order = orderFor()) =>
  commitTraffic(plane.ctx, deps, placed, { order, permit });

/** The same dependencies, but that something else happens right before each push. */
function racing(before: (attempt: number) => Promise<unknown>): {
  deps: TrafficDeps;
  attempts: () => number;
} {
  let attempts = 0;
  const { sources } = plane.deps;
  const raced: TrafficDeps['sources']['push'] = async (...words) => {
    attempts += 1;
    await before(attempts);
    return sources.push(...words);
  };
  const { listRefs, resolveRevision, openTree } = sources;
  const bound = {
    listRefs: listRefs.bind(sources),
    resolveRevision: resolveRevision.bind(sources),
    openTree: openTree.bind(sources),
  };
  return { deps: { ...plane.deps, sources: { ...bound, push: raced } }, attempts: () => attempts };
}

test('a branch that moves meanwhile is planned again, and the commit that came between stays', async () => {
  await plane.repository.commit(filesOf('moved'));
  await plane.deployed('moved');
  const placed = await plane.begin('moved');
  const { deps, attempts } = racing(async (attempt) => {
    if (attempt === 1) await plane.repository.commit({ 'moved/notes.txt': 'of another person' });
  });
  const { commit } = await push(deps, placed);
  expect([commit, attempts()]).toEqual([await tip(), 2]);
  expect(await plane.repository.git('show', `${commit}:moved/notes.txt`)).toBe('of another person');
  expect(await plane.repository.git('show', `${commit}:moved/service.yaml`)).toContain('moved-v2');
});

test('a branch that does not stop moving is given up after four attempts, and nothing is pushed', async () => {
  await plane.repository.commit(filesOf('busy'));
  await plane.deployed('busy');
  const placed = await plane.begin('busy');
  const { deps, attempts } = racing((attempt) =>
    plane.repository.commit({ 'busy/notes.txt': `commit ${attempt}` }),
  );
  await expect(push(deps, placed)).rejects.toThrow(/the branch moved 4 times .* try again/);
  expect(attempts()).toBe(4);
  expect(await plane.repository.git('show', 'main:busy/service.yaml')).toContain('busy-v1');
});

test('somebody else who commits the same change first leaves nothing to push', async () => {
  await plane.repository.commit(filesOf('same'));
  await plane.deployed('same');
  const placed = await plane.begin('same');
  const { deps } = racing(() => plane.repository.commit({ 'same/service.yaml': service('same', 'same-v2') }));
  const { commit, plan } = await push(deps, placed);
  expect([commit, plan.isNoChange]).toEqual([undefined, true]);
});

test('a plan that is not the one the user confirmed is refused, for a commit and for an override', async () => {
  await plane.repository.commit(filesOf('expected'));
  await plane.deployed('expected');
  const placed = await plane.begin('expected');
  for (const mode of ['commit', 'override'] as const) {
    const { hash } = await planTraffic(plane.ctx, plane.deps, placed, orderFor({ mode }));
    const other = orderFor({
      mode,
      expect: hash,
      intent: { action: 'promote', to: 'expected-v2', percent: 20 },
    });
    const before = await tip();
    const doing =
      mode === 'commit'
        ? push(plane.deps, placed, other)
        : overrideTraffic(plane.ctx, plane.deps, placed, other);
    await expect(doing).rejects.toThrow(/the plan is another one by now/);
    expect(await tip()).toBe(before);
  }
  expect(overridesOf(await plane.find('Application', 'expected')).overrides).toEqual([]);
  const { hash } = await planTraffic(plane.ctx, plane.deps, placed, orderFor());
  await plane.repository.commit({ 'expected/notes.txt': 'elsewhere in the repository' });
  const { commit } = await push(plane.deps, placed, orderFor({ expect: hash })); // the same plan on a newer commit
  expect(commit).toBe(await tip());
});

type Refusal = {
  readonly what: string;
  readonly files: (name: string) => Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly owner?: string;
  readonly order?: Partial<TrafficOrder>;
  readonly why: RegExp;
};

const chart = `apiVersion: v2\nname: chart\nversion: 1.0.0\n`;
const refusals: readonly Refusal[] = [
  {
    what: 'an edit that would change another object as well',
    files: (name) =>
      filesOf(name, {
        'map.yaml':
          'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: serving, namespace: shop }\ndata: { revision: "" }\n',
        'kustomization.yaml': kustomization({
          resources: ['service.yaml', 'map.yaml'],
          replacements: [
            {
              source: { kind: 'Service', fieldPath: 'spec.traffic.0.revisionName' },
              targets: [{ select: { kind: 'ConfigMap' }, fieldPaths: ['data.revision'] }],
            },
          ],
        }),
      }),
    why: /an edit of .*\/service\.yaml would change more than the traffic, or nothing; edit spec\.traffic by hand/,
  },
  {
    what: 'a chart',
    files: (name) => ({ [`${name}/Chart.yaml`]: chart, [`${name}/templates/service.yaml`]: service(name) }),
    why: /it is generated; set spec\.traffic in the values or the template of the Helm chart/,
  },
  {
    what: 'a target revision that is no branch',
    files: filesOf,
    spec: { targetRevision: 'a-tag' },
    why: /targetRevision "a-tag" is no branch, so nothing can be committed to it: give a branch/,
  },
  {
    what: 'several Services, none of them named',
    files: (name) => filesOf(name, { 'service.yaml': `${service(name)}---\n${service(`${name}-b`)}` }),
    why: /has several Knative Services \(shop\/several-\d, shop\/several-\d-b\): name one/,
  },
  {
    what: 'a Service that another application tracks',
    files: filesOf,
    owner: 'somebody',
    why: /belongs to the application somebody: change its traffic there/,
  },
  {
    what: 'an override without a reason',
    files: filesOf,
    order: { mode: 'override', reason: ' ' },
    why: /an override needs a reason/,
  },
];

test.each(refusals.map((one, at) => ({ ...one, name: `several-${at}` })))(
  '$what is refused by name, and nothing is written',
  async ({ name, files, spec, owner, order, why }) => {
    await plane.repository.commit(files(name));
    await plane.repository.git('tag', '--force', 'a-tag');
    await plane.deployed(name, owner);
    const { repoURL, ...rest } = {
      repoURL: `file://${plane.repository.dir}`,
      path: name,
      targetRevision: 'main',
    };
    const placed = await plane.begin(name, { source: { repoURL, ...rest, ...spec } });
    const before = await tip();
    const asked = orderFor(order);
    const doing =
      asked.mode === 'override'
        ? overrideTraffic(plane.ctx, plane.deps, placed, asked)
        : push(plane.deps, placed, asked);
    await expect(doing).rejects.toThrow(why);
    expect(await tip()).toBe(before);
  },
);

const override = orderFor({ mode: 'override', intent: { action: 'rollback' } });

test('two people who override two Services at once both keep their record', async () => {
  const two = `${service('both', 'both-v2')}---\n${service('both-b', 'both-b-v2')}`;
  await plane.repository.commit(filesOf('both', { 'service.yaml': two }));
  await plane.deployed('both');
  await plane.deployed('both-b', 'both');
  const placed = await plane.begin('both');
  const named = (name: string) => ({
    ...override,
    service: name,
    intent: { action: 'promote', to: `${name}-v2` } as const,
  });
  let isFirst = true;
  const { kube } = plane.deps;
  const interrupted: TrafficDeps['kube'] = {
    get: (...words) => kube.get(...words),
    patch: async (...words) => {
      if (isFirst) {
        isFirst = false;
        await overrideTraffic(plane.ctx, plane.deps, placed, named('both-b'));
      }
      return kube.patch(...words);
    },
  };
  await overrideTraffic(plane.ctx, { ...plane.deps, kube: interrupted }, placed, named('both'));
  const { overrides } = overridesOf(await plane.find('Application', 'both'));
  expect(overrides.map(({ service: one }) => one).sort()).toEqual(['both', 'both-b']);
});

test('a crash between the record and the change leaves the record, which the next sync carries out', async () => {
  await plane.repository.commit(filesOf('crash'));
  await plane.deployed('crash');
  const placed = await plane.begin('crash');
  const dying = {
    ...placed,
    destination: {
      ...placed.destination,
      writer: () => {
        throw new Error('killed');
      },
    },
  };
  const order = { ...override, intent: { action: 'promote', to: 'crash-v2' } as const };
  await expect(overrideTraffic(plane.ctx, plane.deps, dying, order)).rejects.toThrow('killed');
  const app = (await plane.find('Application', 'crash')) as Application;
  expect(overridesOf(app).overrides).toMatchObject([
    { service: 'crash', by: 'ann', traffic: [{ revisionName: 'crash-v2' }] },
  ]);
  expect(app.metadata.annotations?.['argocd.argoproj.io/refresh']).toBe('normal');
  expect(await plane.find('Service', 'crash')).toMatchObject({
    spec: { traffic: [{ revisionName: 'crash-v1' }] },
  });
  // the same again changes the Service, and one record is left
  await overrideTraffic(plane.ctx, plane.deps, { ...placed, app }, order);
  expect(overridesOf(await plane.find('Application', 'crash')).overrides).toHaveLength(1);
  expect(await plane.find('Service', 'crash')).toMatchObject({
    spec: { traffic: [{ revisionName: 'crash-v2' }] },
  });
});

test('a crash between the end of an override and the change leaves no record, and a second end is refused', async () => {
  const placed = await plane.begin('crash');
  const dying = {
    ...placed,
    destination: {
      ...placed.destination,
      writer: () => {
        throw new Error('killed');
      },
    },
  };
  await expect(clearOverride(plane.ctx, plane.deps, dying, {})).rejects.toThrow('killed');
  expect(overridesOf(await plane.find('Application', 'crash')).overrides).toEqual([]);
  await expect(clearOverride(plane.ctx, plane.deps, placed, {})).rejects.toThrow(
    /no override .* is recorded/,
  );
});

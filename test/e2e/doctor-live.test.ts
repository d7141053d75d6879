import { afterAll, beforeAll, expect, test } from 'vitest';
import { namespace, type Seeds, startSeeds } from './seeds.ts';

// `fairlead doctor --live` on an installation that has something to find: over the API, and on the cluster itself.

type Reported = {
  readonly id: string;
  readonly severity: string;
  readonly application?: string;
  readonly message: string;
};
type Sarif = {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string;
      readonly level: string;
      readonly locations: readonly {
        readonly logicalLocations?: readonly { fullyQualifiedName: string }[];
      }[];
    }[];
  }[];
};

let seeds: Seeds;

beforeAll(async () => {
  seeds = await startSeeds();
  const repository = await seeds.repository('acme/faults');
  const probed = {
    ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'probed' } },
    spec: {
      template: {
        spec: { containers: [{ image: 'ghcr.io/demo/probed:v1', startupProbe: { httpGet: { path: '/' } } }] },
      },
      traffic: [{ revisionName: 'probed-gone', percent: 100 }],
    },
  };
  const fine = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fine' }, data: { a: '1' } };
  await repository.commit({
    'probed/service.yaml': JSON.stringify(probed),
    'fine/map.yaml': JSON.stringify(fine),
  });
  for (const name of ['probed', 'fine']) {
    await seeds.apply(namespace(name), {
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace: 'argocd' } },
      spec: {
        source: { repoURL: `file://${repository.dir}`, path: name, targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: name },
        syncPolicy: { automated: {}, retry: { limit: 0 } },
      },
    });
  }
  await seeds.fairlead.until('probed', 'degraded', ({ status }) => status?.health?.status === 'Degraded');
});
afterAll(() => seeds?.stop());

const examine = (...words: string[]) => seeds.fairlead.cli('doctor', '--live', ...words);
const found = async (...words: string[]): Promise<readonly Reported[]> => {
  const { code, stdout, stderr } = await examine(...words, '-o', 'json');
  expect(code, stderr).toBe(1);
  return (JSON.parse(stdout) as { findings: readonly Reported[] }).findings;
};
const missingRevision = {
  ...{ id: 'knative-pinned-traffic', severity: 'error', application: 'probed' },
  message: expect.stringMatching(/probed-gone, which the cluster does not have/),
};
const portless = {
  ...{ id: 'knative-probe-port', severity: 'error', application: 'probed' },
  message: expect.stringMatching(/the startupProbe of .* names no port/),
};

test('what an application has wrong is found over the API, with the application, and the exit code is 1', async () => {
  const errors = await found('--severity', 'error');
  expect(errors).toEqual(
    expect.arrayContaining([expect.objectContaining(portless), expect.objectContaining(missingRevision)]),
  );
  expect(errors.filter(({ application }) => application === 'fine')).toEqual([]);
  expect(await found('probed', '--severity', 'error')).toHaveLength(2);
});

test('an application without a fault ends with 0, one that does not exist fails with 20', async () => {
  const { code, stdout } = await examine('fine', '--severity', 'error', '-o', 'json');
  expect([code, JSON.parse(stdout).findings]).toEqual([0, []]);
  expect((await examine('nowhere')).code).toBe(20);
});

test('with --core the settings of the installation are examined as well', async () => {
  const data = JSON.stringify({ data: { 'policy.default': 'role:admin' } });
  await seeds.kubectl('patch', 'cm/argocd-rbac-cm', '-n', 'argocd', '--type=merge', '-p', data);
  try {
    // a folder of this machine is not rendered for a cluster that the command line knows nothing of
    const everybody = expect.objectContaining({ id: 'rbac-default-role', severity: 'error' });
    expect(await found('--core')).toContainEqual(everybody);
    expect((await found()).map(({ id }) => id)).not.toContain('rbac-default-role');
  } finally {
    const none = JSON.stringify({ data: { 'policy.default': null } });
    await seeds.kubectl('patch', 'cm/argocd-rbac-cm', '-n', 'argocd', '--type=merge', '-p', none);
  }
});

test('the report for code hosts names the application and the object', async () => {
  const { code, stdout } = await examine('probed', '--severity', 'error', '-o', 'sarif');
  expect(code).toBe(1);
  const [run] = (JSON.parse(stdout) as Sarif).runs;
  const rows = run?.results.map(({ ruleId, level, locations }) => [
    ruleId,
    level,
    locations[0]?.logicalLocations?.[0]?.fullyQualifiedName,
  ]);
  expect(rows).toEqual([
    ['knative-probe-port', 'error', 'probed: Service probed/probed'],
    ['knative-pinned-traffic', 'error', 'probed: Service probed/probed'],
  ]);
});

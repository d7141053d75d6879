import { expect, test } from 'vitest';
import { talk } from '../../../../test/talk.ts';

const path = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (env: readonly object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'a', image: 'b', env }] },
    },
  },
});

test('a built-in object weighs nearly what a real server says of it', async () => {
  const { post } = await talk();
  const { status, body } = await post(path, deployment([{ name: 'X', value: 'a'.repeat(2_200_000) }]));
  expect([status, body.reason]).toEqual([500, undefined]);
  const [, size] = /^rpc error: .* larger than max \((\d+) vs\. 2097152\)$/.exec(body.message) ?? [];
  expect(Math.abs(Number(size) - 2_200_451)).toBeLessThan(20); // measured with Kubernetes 1.36.3
});

test('what is too long in JSON only is kept as it is', async () => {
  const { post } = await talk();
  const { spec, ...rest } = deployment([]);
  const toleration = { key: 'a', operator: 'Exists', effect: 'NoSchedule' };
  const tolerations = Array.from({ length: 32_000 }, () => toleration);
  const template = { ...spec.template, spec: { ...spec.template.spec, tolerations } };
  const sent = { ...rest, spec: { ...spec, template } };
  expect(JSON.stringify(sent).length).toBeGreaterThan(1.6e6);
  const { status, body } = await post(path, sent);
  expect([status, body.metadata.managedFields.length]).toEqual([201, 1]);
});

test('an object that outgrows the limit stays as it was', async () => {
  const { post, patch, get } = await talk();
  await post(path, deployment([{ name: 'X', value: 'small' }]));
  const change = {
    metadata: { labels: { a: 'b' } },
    spec: deployment([{ name: 'X', value: 'a'.repeat(1_600_000) }]).spec,
  };
  const { status, body } = await patch(`${path}/d`, 'merge-patch+json', change);
  expect([status, body.message]).toEqual([500, 'etcdserver: request is too large']);
  expect((await get(`${path}/d`)).body.metadata.labels).toBeUndefined();
});

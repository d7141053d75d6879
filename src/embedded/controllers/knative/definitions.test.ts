import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { realClock } from '#base/std';
import { createCluster } from '#embedded/apiserver';
import { memoryStore } from '#platform/store';
import { installDefinitions } from './definitions.ts';

const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const name = 'services.serving.knative.dev';

test('definitions are served when it returns, and doing it again changes nothing', async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  await installDefinitions(cluster.objects);
  expect(cluster.objects.list({ apiVersion: 'serving.knative.dev/v1', kind: 'Service' })).toEqual([]);
  const before = cluster.objects.list(kind);
  expect(before).toHaveLength(11);
  await installDefinitions(cluster.objects);
  expect(cluster.objects.list(kind)).toEqual(before);
  await cluster.close();
});

test('one of ours that is out of date is renewed, one of somebody else is left alone', async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const { objects } = cluster;
  await installDefinitions(objects);
  const columns = () =>
    (objects.get({ ...kind, name }) as KubeObject<any>).spec.versions[0].additionalPrinterColumns;
  const versions = (additionalPrinterColumns: object[]) => {
    const [version] = (objects.get({ ...kind, name }) as KubeObject<any>).spec.versions;
    return { spec: { versions: [{ ...version, additionalPrinterColumns }] } };
  };
  const column = { name: 'Mine', type: 'string', jsonPath: '.status.mine' };
  const change = (body: object) =>
    objects.patch(
      { ...kind, name },
      { type: 'merge', body: body as Record<string, unknown> },
      { manager: 'x' },
    );
  await change(versions([column]));
  await installDefinitions(objects);
  expect(columns()).toHaveLength(5);
  await change({ ...versions([column]), metadata: { labels: { 'app.kubernetes.io/managed-by': null } } });
  await installDefinitions(objects);
  expect(columns()).toEqual([column]);
  await cluster.close();
});

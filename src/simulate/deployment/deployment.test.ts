import { afterEach, expect, test } from 'vitest';
import type { KubeObject } from '#model';
import { memoryStore } from '#store';
import { createStage, type Stage } from '../stage.ts';

let stage: Stage;
afterEach(() => stage.stop());

const deployment = (name: string, spec: object = {}, image = 'web:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image }] } },
    ...spec,
  },
});
const ref = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name });
const pods = () => stage.objects.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'default' });

test('a deployment becomes available within 150 ms', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(deployment('web'));
  await stage.clock.advance(150);
  const { status } = stage.read<KubeObject>(ref('web'));
  console.log(JSON.stringify(status, null, 1), JSON.stringify(pods()[0], null, 1));
  expect(status).toMatchObject({ readyReplicas: 3 });
});

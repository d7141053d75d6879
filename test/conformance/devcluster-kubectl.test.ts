import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster, type EmbeddedListener, listen } from '#embedded';
import { memoryStore } from '#platform/store';
import { deployment } from '../talk.ts';
import { type Shell, shell } from './kubectl.ts';

/** The real kubectl against the embedded cluster: what users type, and what they read. */
const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
let cluster: EmbeddedCluster;
let listener: EmbeddedListener;
let kubectl: Shell;
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fairlead-devcluster-'));
  cluster = await createCluster({ store: memoryStore(), clock: realClock, podLogs });
  listener = await listen(ctx, cluster, { port: 0, dir });
  kubectl = await shell('kubectl', listener.kubeconfigPath);
});

afterAll(async () => {
  await kubectl.close();
  await listener.close();
  await cluster.close();
  stop.abort();
  await rm(dir, { recursive: true });
});

async function* podLogs(request: { container: string }): AsyncGenerator<string> {
  yield `hello from ${request.container}\n`;
}

const configMap = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});
const at = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name });

describe('reading', () => {
  test('version and health', async () => {
    expect(await kubectl.run('version')).toMatch(/Server Version: v1\.36\.\d+\+fairlead/);
    expect(await kubectl.run('get --raw /readyz')).toBe('ok');
  });

  test('get prints the columns of the kind, wide ones on demand', async () => {
    expect(await kubectl.run('get namespaces')).toMatch(/^NAME +STATUS +AGE\ndefault +Active +\d+s\n/);
    const nodes = await kubectl.run('get nodes -o wide');
    expect(nodes).toMatch(/embedded-0 +Ready +control-plane +\d+s +v1\.36\.\d+\+fairlead +192\.0\.2\.1/);
    expect(await kubectl.run('get svc kubernetes')).toMatch(
      /kubernetes +ClusterIP +10\.96\.0\.1 +<none> +443\/TCP/,
    );
  });

  test('get all, by category; sorted, by name, as yaml', async () => {
    expect(await kubectl.run('get all')).toContain('service/kubernetes');
    expect(await kubectl.run('get ns --sort-by=.metadata.name -o name')).toBe(
      'namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n',
    );
    expect(await kubectl.run('get ns default -o jsonpath={.status.phase}')).toBe('Active');
  });

  test('api-resources and explain know the kinds', async () => {
    expect(await kubectl.run('api-resources --api-group=apps')).toMatch(
      /deployments +deploy +apps\/v1 +true +Deployment/,
    );
    expect(await kubectl.run('explain deployment.spec.replicas')).toContain('FIELD: replicas <integer>');
  });

  test('describe', async () => {
    expect(await kubectl.run('describe service kubernetes')).toMatch(/IP: +10\.96\.0\.1/);
  });

  test('what is not there is said so', async () => {
    expect(await kubectl.try('get configmap nothing')).toEqual({
      code: 1,
      out: '',
      err: 'Error from server (NotFound): configmaps "nothing" not found\n',
    });
  });
});

describe('applying', () => {
  test('client side: created, unchanged, configured, pruned', async () => {
    expect(await kubectl.run('apply -f -', configMap('cs', { a: '1', b: '2' }))).toBe(
      'configmap/cs created\n',
    );
    expect(await kubectl.run('apply -f -', configMap('cs', { a: '1', b: '2' }))).toBe(
      'configmap/cs unchanged\n',
    );
    expect(await kubectl.run('apply -f -', configMap('cs', { a: '3' }))).toBe('configmap/cs configured\n');
    expect(await kubectl.run('get cm cs -o jsonpath={.data}')).toBe('{"a":"3"}');
  });

  test('a Deployment, with defaults, through a strategic merge patch', async () => {
    await kubectl.run('apply -f -', deployment('web'));
    expect(await kubectl.run('apply -f -', deployment('web'))).toBe('deployment.apps/web unchanged\n');
    await kubectl.run('apply -f -', deployment('web', 'nginx:2'));
    const spec = JSON.parse(await kubectl.run('get deploy web -o json')).spec;
    expect(spec).toMatchObject({
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          containers: [{ image: 'nginx:2', imagePullPolicy: 'IfNotPresent' }],
          restartPolicy: 'Always',
        },
      },
    });
    expect(await kubectl.run('diff -f -', deployment('web', 'nginx:2'))).toBe('');
    const diff = await kubectl.try('diff -f -', deployment('web', 'nginx:3'));
    expect([diff.code, diff.out]).toEqual([1, expect.stringContaining('+      - image: nginx:3')]);
  });

  test('server side: owned by kubectl, conflicts told, forced', async () => {
    expect(await kubectl.run('apply --server-side -f -', configMap('ss', { a: '1' }))).toBe(
      'configmap/ss serverside-applied\n',
    );
    await kubectl.run('apply --server-side --field-manager=other -f -', configMap('ss', { b: '2' }));
    const refused = await kubectl.try(
      'apply --server-side --field-manager=other -f -',
      configMap('ss', { a: '9' }),
    );
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('Apply failed with 1 conflict: conflict with "kubectl": .data.a'),
    ]);
    await kubectl.run(
      'apply --server-side --force-conflicts --field-manager=other -f -',
      configMap('ss', { a: '9' }),
    );
    expect(await kubectl.run('get cm ss -o jsonpath={.data}')).toBe('{"a":"9"}');
  });

  test('server side after client side moves ownership over', async () => {
    await kubectl.run('apply -f -', configMap('move', { a: '1', b: '2' }));
    await kubectl.run('apply --server-side -f -', configMap('move', { a: '1' }));
    expect(await kubectl.run('get cm move -o jsonpath={.data}')).toBe('{"a":"1"}');
    const path = '{.metadata.managedFields[*].manager}';
    const managers = await kubectl.run(`get cm move --show-managed-fields -o jsonpath=${path}`);
    expect(managers.split(' ').toSorted()).toEqual(['kubectl', 'kubectl-last-applied']);
  });

  test('strict by default: unknown fields are refused', async () => {
    const { code, err } = await kubectl.try('apply -f -', { ...configMap('bad', {}), nonsense: 1 });
    expect([code, err]).toEqual([1, expect.stringContaining('unknown field "nonsense"')]);
  });

  test('dry run on the server keeps nothing', async () => {
    await kubectl.run('apply --dry-run=server -f -', configMap('dry', {}));
    expect((await kubectl.try('get cm dry')).code).toBe(1);
  });

  test('a definition and objects of its kind', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
                },
              },
            },
          },
        ],
      },
    };
    const widget = (size: number) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'one' },
      spec: { size },
    });
    await kubectl.run('apply -f -', definition);
    await kubectl.run('wait --for=condition=Established crd/widgets.example.com --timeout=10s');
    expect(await kubectl.run('apply -f -', widget(3))).toBe('widget.example.com/one created\n');
    expect(await kubectl.run('get wd')).toBe('NAME   SIZE\none    3\n');
    const { err } = await kubectl.try('apply -f -', widget(0));
    expect(err).toContain(
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
    await kubectl.run('apply --server-side -f -', widget(4));
    await kubectl.run('delete crd widgets.example.com');
    expect((await kubectl.try('get wd')).code).toBe(1);
  });
});

describe('changing', () => {
  test('label, annotate, patch, scale, set image, replace', async () => {
    await kubectl.run('apply -f -', deployment('change'));
    await kubectl.run('label deploy change tier=front');
    await kubectl.run('annotate deploy change note=x');
    await kubectl.run('patch deploy change -p {"spec":{"minReadySeconds":3}}');
    await kubectl.run(
      'patch deploy change --type=json -p [{"op":"remove","path":"/metadata/annotations/note"}]',
    );
    await kubectl.run('scale deploy change --replicas=4');
    await kubectl.run('set image deploy/change main=nginx:9');
    const { metadata, spec } = JSON.parse(await kubectl.run('get deploy change -o json'));
    expect([metadata.labels.tier, metadata.annotations.note, spec.minReadySeconds, spec.replicas]).toEqual([
      'front',
      undefined,
      3,
      4,
    ]);
    expect(spec.template.spec.containers[0].image).toBe('nginx:9');
    await kubectl.run('replace -f -', deployment('change', 'nginx:10'));
    expect(await kubectl.run('get deploy change -o jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'nginx:10',
    );
  });

  test('commands that speak protobuf (contract 2.4)', async () => {
    expect(await kubectl.run('create namespace proto')).toBe('namespace/proto created\n');
    await kubectl.run('create deployment d --image=nginx --replicas=0 -n proto');
    await kubectl.run('create secret generic s --from-literal=k=v -n proto');
    await kubectl.run('create job j --image=busybox -n proto');
    await kubectl.run('create ingress i --rule=example.com/x=svc:8080 -n proto');
    expect(await kubectl.run('get deploy d -n proto -o jsonpath={.spec.replicas}')).toBe('0');
    expect(await kubectl.run('get secret s -n proto -o jsonpath={.data.k}')).toBe('dg==');
    expect(await kubectl.run('auth can-i create pods')).toBe('yes\n');
    expect(await kubectl.run('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('system:admin');
    await kubectl.run('delete namespace proto');
    expect((await kubectl.try('get namespace proto')).code).toBe(1);
  });

  test('run and logs', async () => {
    await kubectl.run('run p --image=nginx');
    expect(await kubectl.run('get pod p --no-headers')).toMatch(/^p +0\/1 +Pending +0 +\d+s\n$/);
    expect(await kubectl.run('logs p')).toBe('hello from p\n');
    await kubectl.run('delete pod p');
  });
});

describe('waiting', () => {
  const status = (generation: number, ready: number) => ({
    observedGeneration: generation,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [{ type: 'Available', status: ready > 0 ? 'True' : 'False', reason: 'Test', message: '' }],
  });

  test('wait for a condition that comes later, and for one that is there', async () => {
    await kubectl.run('apply -f -', deployment('later'));
    const waiting = kubectl.start('wait --for=condition=Available deploy/later --timeout=20s');
    await cluster.objects.patchStatus(at('later'), status(1, 1), { manager: 'test' });
    expect((await waiting.over).out).toBe('deployment.apps/later condition met\n');
    expect(await kubectl.run('wait --for=condition=Available deploy/later --timeout=5s')).toContain(
      'condition met',
    );
    const late = await kubectl.try('wait --for=condition=Nothing deploy/later --timeout=1s');
    expect([late.code, late.err]).toEqual([
      1,
      expect.stringContaining('timed out waiting for the condition'),
    ]);
  });

  test('rollout status follows the status', async () => {
    await kubectl.run('apply -f -', deployment('roll'));
    await cluster.objects.patchStatus(at('roll'), status(1, 0), { manager: 'test' });
    const rollout = kubectl.start('rollout status deploy/roll --timeout=20s');
    await cluster.objects.patchStatus(at('roll'), status(1, 1), { manager: 'test' });
    const { code, out } = await rollout.over;
    expect([code, out]).toEqual([0, expect.stringContaining('deployment "roll" successfully rolled out\n')]);
  });

  test('delete waits until the object is gone, finalizers included', async () => {
    await kubectl.run('apply -f -', {
      ...configMap('held', {}),
      metadata: { name: 'held', finalizers: ['test.dev/hold'] },
    });
    const deleting = kubectl.start('delete cm held --timeout=20s');
    await kubectl.run('wait --for=jsonpath={.metadata.deletionGracePeriodSeconds}=0 cm/held --timeout=10s');
    await kubectl.run('patch cm held --type=merge -p {"metadata":{"finalizers":null}}');
    expect((await deleting.over).out).toBe('configmap "held" deleted from default namespace\n');
  });

  test('get --watch prints what happens', async () => {
    const watching = kubectl.start('get cm -l seen=yes --watch --request-timeout=4s');
    await kubectl.run('apply -f -', {
      ...configMap('seen', {}),
      metadata: { name: 'seen', labels: { seen: 'yes' } },
    });
    expect((await watching.over).out).toMatch(/seen +0 +\d+s/);
  });

  test('deleting an owner deletes what it owns', async () => {
    await kubectl.run('apply -f -', deployment('owner'));
    const uid = await kubectl.run('get deploy owner -o jsonpath={.metadata.uid}');
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'owner', uid, blockOwnerDeletion: true },
    ];
    await kubectl.run('apply -f -', {
      ...configMap('owned', {}),
      metadata: { name: 'owned', ownerReferences },
    });
    await kubectl.run('delete deploy owner --cascade=foreground --timeout=20s');
    expect((await kubectl.try('get cm owned')).code).toBe(1);
  });
});

test('helm installs, upgrades, rolls back and uninstalls (contract 2.7)', async () => {
  const helm = await shell('helm', listener.kubeconfigPath);
  try {
    await helm.run('create chart');
    expect(await helm.run('install demo chart')).toContain('STATUS: deployed');
    await helm.run('upgrade demo chart --set replicaCount=3');
    expect(await kubectl.run('get deploy demo-chart -o jsonpath={.spec.replicas}')).toBe('3');
    await helm.run('rollback demo 1');
    expect(await kubectl.run('get deploy demo-chart -o jsonpath={.spec.replicas}')).toBe('1');
    expect(await helm.run('uninstall demo')).toContain('release "demo" uninstalled');
  } finally {
    await helm.close();
  }
});

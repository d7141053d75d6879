import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { configMap, type Plane, startPlane } from './in-process.ts';
import { conditionOf, listOf, SetsOnPlane } from './sets-on-plane.ts';

// The controller of ApplicationSets on an embedded cluster, in this process, wired as the program wires it.
let plane: Plane;
let sets: SetsOnPlane;

beforeAll(async () => {
  plane = await startPlane();
  sets = new SetsOnPlane(plane);
  await plane.repository.commit({ 'apps/base.yaml': JSON.stringify(configMap('base', {})) });
});
afterAll(() => plane?.stop());

describe('applications follow the parameters of their set', () => {
  test('they are created with their owner, updated with the template and deleted with their element', async () => {
    await plane.apply(sets.setOf('shop', { generators: [listOf('dev', 'prod')] }));
    await sets.untilNames('shop', 'dev', 'prod');
    const set = await sets.untilUpToDate('shop');
    const app = await plane.app('shop-dev');
    expect(app.metadata.ownerReferences).toEqual([
      expect.objectContaining({
        kind: 'ApplicationSet',
        name: 'shop',
        uid: set.metadata.uid,
        controller: true,
      }),
    ]);
    expect(app.metadata.finalizers).toEqual(['resources-finalizer.argocd.argoproj.io']);
    expect(set.status?.resources?.map(({ name }) => name)).toEqual(['shop-dev', 'shop-prod']);
    expect(set.status?.health?.status).toBe('Healthy');

    await sets.edit('ApplicationSet', 'shop', { spec: { template: { spec: { revisionHistoryLimit: 3 } } } });
    await plane.untilApp('shop-prod', 'updated', ({ spec }) => spec.revisionHistoryLimit === 3);

    await sets.edit('ApplicationSet', 'shop', { spec: { generators: [listOf('prod')] } });
    await sets.untilNames('shop', 'prod');
  });

  test('what another actor changes on an application is put back', async () => {
    await plane.edit('shop-prod', { spec: { project: 'another' } });
    await plane.untilApp('shop-prod', 'of its project again', ({ spec }) => spec.project === 'default');
  });

  test('the annotation evaluates the set and is removed', async () => {
    const refresh = 'argocd.argoproj.io/application-set-refresh';
    await sets.edit('ApplicationSet', 'shop', { metadata: { annotations: { [refresh]: 'true' } } });
    await sets.untilSet('shop', 'evaluated', ({ metadata }) => metadata.annotations?.[refresh] === undefined);
  });

  test('a deleted set takes its applications with it', async () => {
    await sets.remove('ApplicationSet', 'shop');
    await sets.untilNames('shop');
  });

  test('one application for each folder, and each commit counts at once', async () => {
    await plane.repository.commit({
      'teams/red/a.yaml': JSON.stringify(configMap('red', {})),
      'teams/blue/a.yaml': JSON.stringify(configMap('blue', {})),
    });
    const template = sets.templateOf('team');
    const git = { repoURL: plane.url, revision: 'HEAD', directories: [{ path: 'teams/*' }] };
    await plane.apply(
      sets.setOf('team', {
        generators: [{ git }],
        template: { ...template, metadata: { name: 'team-{{path.basename}}' } },
      }),
    );
    await sets.untilNames('team', 'blue', 'red');
    await plane.repository.commit({ 'teams/green/a.yaml': JSON.stringify(configMap('green', {})) });
    await sets.untilNames('team', 'blue', 'green', 'red');
    await plane.repository.commit({ 'teams/red/a.yaml': undefined });
    await sets.untilNames('team', 'blue', 'green');
    await sets.remove('ApplicationSet', 'team');
  });

  test('a cluster that is registered or removed', async () => {
    const cluster = (name: string): KubeObject =>
      ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace: 'argocd',
          labels: { 'argocd.argoproj.io/secret-type': 'cluster', tier: 'edge' },
        },
        stringData: { name, server: `https://${name}.example`, config: '{}' },
      }) as KubeObject;
    await plane.apply(cluster('east'));
    await plane.apply(
      sets.setOf('edge', {
        goTemplate: true,
        generators: [{ clusters: { selector: { matchLabels: { tier: 'edge' } } } }],
        template: {
          ...sets.templateOf('edge'),
          metadata: { name: 'edge-{{ .name }}' },
          spec: {
            ...sets.templateOf('edge').spec,
            destination: { server: '{{ .server }}', namespace: 'edge' },
          },
        },
      }),
    );
    await sets.untilNames('edge', 'east');
    await plane.apply(cluster('west'));
    await sets.untilNames('edge', 'east', 'west');
    await plane.kube.delete(plane.ctx, {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'argocd',
      name: 'east',
    });
    await sets.untilNames('edge', 'west');
    await sets.remove('ApplicationSet', 'edge');
    await plane.kube.delete(plane.ctx, {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'argocd',
      name: 'west',
    });
  });
});

describe('nothing is deleted by mistake', () => {
  test('an error in one generator names it, and all applications stay (sources AS-2)', async () => {
    await plane.apply(sets.setOf('safe', { generators: [listOf('a', 'b')] }));
    await sets.untilNames('safe', 'a', 'b');
    const git = {
      repoURL: `file://${plane.repository.dir}-missing`,
      revision: 'HEAD',
      directories: [{ path: '*' }],
    };
    await sets.edit('ApplicationSet', 'safe', { spec: { generators: [listOf('a'), { git }] } });
    const failed = await sets.untilError('safe', 'spec.generators[1].git');
    expect(conditionOf(failed, 'ParametersGenerated')?.status).toBe('False');
    expect(failed.status?.health?.status).toBe('Degraded');
    expect(await sets.namesOf('safe')).toEqual(['safe-a', 'safe-b']);
  });

  test('a text that is no template changes nothing either', async () => {
    await sets.edit('ApplicationSet', 'safe', {
      spec: { generators: [listOf('a')], goTemplate: true, goTemplateOptions: ['missingkey=error'] },
    });
    await sets.untilError('safe', 'template');
    expect(await sets.namesOf('safe')).toEqual(['safe-a', 'safe-b']);
    await sets.edit('ApplicationSet', 'safe', { spec: { goTemplate: false } });
    await sets.untilNames('safe', 'a');
  });

  test('more deletions than the annotation allows are refused, as a whole', async () => {
    const annotations = { 'fairlead.io/max-delete-percent': '40' };
    await plane.apply(sets.setOf('guarded', { generators: [listOf('a', 'b', 'c')] }, { annotations }));
    await sets.untilNames('guarded', 'a', 'b', 'c');
    await sets.edit('ApplicationSet', 'guarded', { spec: { generators: [listOf('a', 'd')] } });
    await sets.untilError('guarded', '2 of 3 applications would be deleted');
    expect(await sets.namesOf('guarded')).toEqual(['guarded-a', 'guarded-b', 'guarded-c']);
    await sets.edit('ApplicationSet', 'guarded', { spec: { generators: [listOf('a', 'b', 'd')] } });
    await sets.untilNames('guarded', 'a', 'b', 'd');
  });

  test('two sets cannot own one application', async () => {
    await plane.apply(sets.setOf('first', { generators: [listOf('x')] }));
    await sets.untilNames('first', 'x');
    const taking = { ...sets.templateOf('second'), metadata: { name: 'first-{{env}}' } };
    await plane.apply(sets.setOf('second', { generators: [listOf('x', 'y')], template: taking }));
    await sets.untilError('second', 'first-x is already owned by ApplicationSet first');
    await sets.untilNames('first', 'x', 'y');
    expect((await plane.app('first-x')).metadata.ownerReferences?.[0]?.name).toBe('first');
    await sets.remove('ApplicationSet', 'second');
    await sets.untilNames('first', 'x');
  });

  test('a policy that forbids deletion also holds when the set is deleted (dev DEV-24)', async () => {
    await plane.apply(
      sets.setOf('kept', {
        generators: [listOf('a', 'b')],
        syncPolicy: { applicationsSync: 'create-update' },
      }),
    );
    await sets.untilNames('kept', 'a', 'b');
    await sets.edit('ApplicationSet', 'kept', { spec: { generators: [listOf('a')] } });
    await sets.untilUpToDate('kept');
    await sets.remove('ApplicationSet', 'kept');
    await plane.until(
      'the set is gone',
      () => sets.findSet('kept'),
      (found) => found === undefined,
    );
    await plane.pass(60_000);
    expect(await sets.namesOf('kept')).toEqual(['kept-a', 'kept-b']);
    expect((await plane.app('kept-a')).metadata.ownerReferences).toBeUndefined();
  });

  test('an invalid application is skipped until its project exists, the others proceed (sources ASA-1)', async () => {
    const template = sets.templateOf('mixed');
    await plane.apply(
      sets.setOf('mixed', {
        generators: [
          {
            list: {
              elements: [
                { env: 'a', project: 'default' },
                { env: 'b', project: 'late' },
              ],
            },
          },
        ],
        template: { ...template, spec: { ...template.spec, project: '{{project}}' } },
      }),
    );
    await sets.untilError('mixed', 'project late which does not exist');
    expect(await sets.namesOf('mixed')).toEqual(['mixed-a']);
    await plane.apply({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'late', namespace: 'argocd' },
      spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
    } as KubeObject);
    await sets.untilNames('mixed', 'a', 'b');
  });
});

describe('bad input ends in a condition that names the generator and the fix', () => {
  test('a matrix that explodes', async () => {
    const many = {
      list: { elementsYaml: `[${Array.from({ length: 400 }, (_, at) => `{a: "${at}"}`).join()}]` },
    };
    const more = { list: { elementsYaml: many.list.elementsYaml.replaceAll('a:', 'b:') } };
    await plane.apply(sets.setOf('huge', { generators: [{ matrix: { generators: [many, more] } }] }));
    await sets.untilError('huge', 'spec.generators[0].matrix');
    expect(conditionOf(await sets.findSet('huge'), 'ErrorOccurred')?.message).toContain('20000');
    expect(await sets.namesOf('huge')).toEqual([]);
    await sets.remove('ApplicationSet', 'huge');
  });

  test('a template that loops or grows', async () => {
    const template = {
      ...sets.templateOf('loop'),
      metadata: { name: '{{ range until 10000000 }}{{ repeat 100000 "x" }}{{ end }}' },
    };
    await plane.apply(sets.setOf('loop', { goTemplate: true, generators: [listOf('a')], template }));
    await sets.untilError('loop', 'template');
    await sets.remove('ApplicationSet', 'loop');
  });

  test('a plugin that refuses, floods or hangs; its token appears nowhere', async () => {
    const token = 'hunter2-hunter2';
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      const [mode] = modes;
      if (mode === 'refuse') response.writeHead(403).end(token);
      else if (mode === 'flood') {
        const flood = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
          if (!response.destroyed) response.once('drain', flood);
        };
        flood();
      } else if (mode === 'answer') {
        response.end(JSON.stringify({ output: { parameters: [{ env: 'one' }, { env: 'two' }] } }));
      } // else it never answers
    });
    const modes = ['refuse'];
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const inHome = { namespace: 'argocd' };
    await plane.apply(
      configMap('inventory', { baseUrl, token: '$inventory:token', requestTimeout: '1' }, inHome),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'inventory', ...inHome },
        stringData: { token },
      } as KubeObject,
      sets.setOf('plugin', {
        generators: [{ plugin: { configMapRef: { name: 'inventory' }, requeueAfterSeconds: 5 } }],
      }),
    );
    const messages: string[] = [];
    const behave = async (mode: string): Promise<void> => {
      modes[0] = mode;
      await sets.edit('ApplicationSet', 'plugin', { metadata: { labels: { mode } } });
    };
    const failing = async (text: string): Promise<void> => {
      const set = await sets.untilError('plugin', text);
      messages.push(JSON.stringify(set.status));
    };
    await failing('refused our token');
    await behave('flood');
    await failing('bytes');
    await behave('hang');
    await failing('took too long');
    await behave('answer');
    await sets.untilNames('plugin', 'one', 'two');
    expect(seen[0]).toBe(`/api/v1/getparams.execute Bearer ${token}`);
    expect(messages.join()).not.toContain(token);
    await sets.remove('ApplicationSet', 'plugin');
    server.closeAllConnections();
    server.close();
  });
});

test('where the definition has the status as a subresource, as Argo CD installs it, the status is written all the same', async () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'applicationsets.argoproj.io',
  };
  const body = [{ op: 'add', path: '/spec/versions/0/subresources', value: { status: {} } }];
  await plane.kube.patch(plane.ctx, definition, { type: 'json', body });
  await plane.apply(sets.setOf('upstream', { generators: [listOf('dev')] }));
  const set = await sets.untilUpToDate('upstream');
  expect(set.status?.resources?.map(({ name }) => name)).toEqual(['upstream-dev']);
  await sets.remove('ApplicationSet', 'upstream');
});

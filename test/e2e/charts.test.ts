import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';
import { ChartPress } from '../chart-repository.ts';
import { temporaryFolder } from '../git-repository.ts';
import { toolCache } from '../manifests.ts';
import { type OciRegistry, ociRegistry } from '../oci-registry.ts';
import { type StaticServer, staticServer } from '../static-server.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// Charts of a private repository and of a private registry: their Secrets are written with kubectl.

const login = 'joe:hunter2';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let fairlead: Fairlead;
let repository: StaticServer;
let registry: OciRegistry;
let digest: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const helm = await findTool(ctx, 'helm', { searchPath: '', cacheDir: toolCache });
  const press = new ChartPress(helm.command, join(folder.path, 'charts'));
  for (const version of ['1.0.0', '1.4.2', '2.0.0']) await press.pack('web', version);
  await press.index();
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  repository = await staticServer({ root: press.dir, authorization });
  registry = await ociRegistry({ auth: { kind: 'token', login } });
  digest = registry.put('charts/web', '1.4.2', {
    configType: 'application/vnd.cncf.helm.config.v1+json',
    layers: [
      {
        mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
        bytes: await readFile(join(press.dir, 'web-1.4.2.tgz')),
      },
    ],
  });
  fairlead = await startFairlead('--no-demo');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
  await Promise.all([repository.close(), registry.close()]);
  await folder.remove();
});

const apply = async (object: object): Promise<void> => {
  const { code, stderr } = await fairlead.apply(object);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/error/i) });
};
const secret = (name: string, stringData: Record<string, string>) =>
  apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'repository' } },
    stringData: { ...stringData, username: 'joe', password: 'hunter2' },
  });
const application = (name: string, source: object) =>
  apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  });
const synced = (name: string, revision: string) =>
  fairlead.until(
    name,
    `synced to ${revision}`,
    ({ status }) => status?.sync?.status === 'Synced' && status.sync.revision === revision,
  );

describe('an application of a chart', () => {
  test('follows a range in a private repository, and its revision is the version (HRP-2)', async () => {
    await secret('charts', { url: repository.url, type: 'helm' });
    await application('web', { repoURL: repository.url, chart: 'web', targetRevision: '^1.0' });
    await synced('web', '1.4.2');
    const { stdout } = await fairlead.kubectl(
      'get',
      'configmap',
      'web-web',
      '-o',
      'jsonpath={.data.version}',
    );
    expect(stdout).toBe('1.4.2');
  });

  test('tells what a version says about itself', async () => {
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: fairlead.password }),
    };
    const { token } = (await (await fetch(`${fairlead.url}/api/v1/session`, post)).json()) as {
      token: string;
    };
    const headers = { authorization: `Bearer ${token}` };
    const path = '/api/v1/applications/web/revisions/1.4.2/metadata';
    const answer = await fetch(`${fairlead.url}${path}`, { headers });
    expect(await answer.json()).toEqual({ author: 'Ann <ann@example.com>', message: 'tells its version' });
  });

  test('is pulled from a private registry (HOC-1), and as an artifact its revision is the digest (OCI-1)', async () => {
    // an address with a port and no scheme is no URL to Go, and no record is found by it
    const host = registry.host.replace('127.0.0.1', 'localhost');
    const url = `oci://${host}/charts/web`;
    await secret('registry', {
      url: `${host}/charts`,
      type: 'helm',
      enableOCI: 'true',
      insecureOCIForceHttp: 'true',
    });
    await secret('artifact', { url, insecureOCIForceHttp: 'true' });
    await application('pulled', { repoURL: `${host}/charts`, chart: 'web', targetRevision: '1.x' });
    await application('artifact', { repoURL: url, path: '.', targetRevision: '1.4.2' });
    await synced('pulled', '1.4.2');
    await synced('artifact', digest);
  });
});

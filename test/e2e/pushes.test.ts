import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitHttpServer, gitHttpServer } from '../git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from '../git-repository.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// compat server §2.7: a delivery that was answered with 200 is compared, also after a kill. Polling is off: only the push reports the commit.
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repository: GitRepositoryFixture;
let host: GitHttpServer;
let fairlead: Fairlead;
let isHanging = false;
let heldBack = 0;

/** A host that hangs takes the request and never answers, so that no comparison ends before the kill. */
function hang(_request: IncomingMessage, _response: ServerResponse): boolean {
  if (isHanging) heldBack += 1;
  return isHanging;
}

const colour = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: colour }\ndata: { colour: ${value} }\n`;
const seen = async (): Promise<string> => {
  const words = ['get', 'configmap', 'colour', '-n', 'default', '-o', 'jsonpath={.data.colour}'];
  return (await fairlead.kubectl(...words)).stdout;
};
const patience = { timeout: 60_000, interval: 250 };

async function deliver(): Promise<number> {
  const payload = {
    ref: 'refs/heads/main',
    repository: { html_url: `${host.url}/repo.git`, default_branch: 'main' },
    commits: [{ added: [], removed: [], modified: ['shop/colour.yaml'] }],
  };
  const { status } = await fetch(`${fairlead.url}/api/webhook`, {
    method: 'POST',
    headers: { 'x-github-event': 'push', 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  return status;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  repository = await gitRepository(join(folder.path, 'repo'));
  await repository.commit({ 'shop/colour.yaml': colour('red') });
  await repository.git('clone', '--quiet', '--bare', '.', join(folder.path, 'repo.git'));
  await repository.git('remote', 'add', 'origin', join(folder.path, 'repo.git'));
  host = await gitHttpServer({ root: folder.path, first: hang });
  fairlead = await startFairlead('--no-demo');
  await fairlead.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: { 'timeout.reconciliation': '0', 'timeout.hard.reconciliation': '0' },
  });
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: `${host.url}/repo.git`, path: 'shop', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
      syncPolicy: { automated: {} },
    },
  });
});

afterAll(async () => {
  isHanging = false;
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
  await host?.close();
  await folder?.remove();
});

test('a push that was answered with 200 is deployed after a kill before its comparison', async () => {
  await expect.poll(seen, patience).toBe('red');
  await repository.commit({ 'shop/colour.yaml': colour('green') });
  await repository.git('push', '--quiet', 'origin', 'main');
  isHanging = true;
  expect(await deliver()).toBe(200);
  await expect.poll(() => heldBack, patience).toBeGreaterThan(0);
  await fairlead.kill();
  isHanging = false;
  fairlead = await fairlead.restart();
  await expect.poll(seen, patience).toBe('green');
});

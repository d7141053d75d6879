import { expect, test } from 'vitest';
import { type Application, defaultSettings } from '#base/model';
import { realClock, silent } from '#base/std';
import type { Push } from '#engine';
import { forwardPushes } from './forward.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const appOf = (name: string, repoURL: string, annotations: Record<string, string> = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', annotations },
  spec: { destination: {}, source: { repoURL, path: '.', targetRevision: 'main' } },
});
const push: Push = {
  webUrl: 'https://git.example.com/org/repo',
  revision: 'main',
  touchedHead: true,
  changedFiles: [],
};
async function* once(): AsyncGenerator<Push> {
  yield push;
}

test('those whom a push concerns are asked for a look, unless they have been (server §2.7)', async () => {
  const apps = [
    appOf('a', 'https://git.example.com/org/repo.git'),
    appOf('b', 'https://git.example.com/org/other'),
    appOf('c', 'https://git.example.com/org/repo', { 'argocd.argoproj.io/refresh': 'hard' }),
    appOf('d', 'https://git.example.com/org/repo'),
  ];
  const asked: unknown[] = [];
  const patch = async (_ctx: unknown, { name }: { name: string }, { body }: { body: object }) => {
    if (name === 'a') throw new Error('not now'); // one that cannot be asked keeps nobody else from it
    asked.push([name, body]);
    return {} as Application;
  };
  const kube = { patch } as unknown as Parameters<typeof forwardPushes>[1]['kube'];
  const deps = {
    kube,
    apps: () => apps,
    settings: () => defaultSettings,
    satisfies: () => false,
    giveBack: () => {},
  };
  await forwardPushes(ctx, deps, once());
  expect(asked).toEqual([['d', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } }]]);
});

test('a push that could not be passed on before the end is given back', async () => {
  const stop = new AbortController();
  const patch = async () => {
    stop.abort();
    throw new Error('stopped');
  };
  const kube = { patch } as unknown as Parameters<typeof forwardPushes>[1]['kube'];
  const back: Push[] = [];
  const deps = {
    kube,
    apps: () => [appOf('a', push.webUrl)],
    settings: () => defaultSettings,
    satisfies: () => false,
    giveBack: (one: Push) => void back.push(one),
  };
  await forwardPushes({ ...ctx, signal: stop.signal }, deps, once());
  expect(back).toEqual([push]);
});

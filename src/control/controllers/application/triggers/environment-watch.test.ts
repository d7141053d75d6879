import { expect, test } from 'vitest';
import { type Application, defaultSettings, type Operation, type ProjectSpec } from '#base/model';
import type { ObjectChange } from '#control/live';
import { EnvironmentWatch, type EnvironmentWatchDeps } from './environment-watch.ts';

const app = (name: string, project: string, operation?: Operation): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: { project, destination: {} },
  ...(operation && { operation }),
});
const project = (spec: ProjectSpec, generation: number) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'shop', namespace: 'argocd', generation },
  spec,
});
const denied = { syncWindows: [{ kind: 'deny' as const, schedule: '* * * * *', duration: '1h' }] };

/** Who is looked at, and whose operation goes on, after a change of a project. */
async function after(change: ObjectChange, settings = {}): Promise<{ asked: string[]; acted: string[] }> {
  const [asked, acted]: [string[], string[]] = [[], []];
  const surroundings = new EnvironmentWatch({
    context: { settings: () => ({ ...defaultSettings, ...settings }) },
    all: () => [
      app('idle', 'shop'),
      app('held', 'shop', { sync: {} }),
      app('other', 'default', { sync: {} }),
    ],
    requestRefresh: (key: string) => asked.push(key),
    act: (key: string) => acted.push(key),
    onProject: () => {},
  } as unknown as EnvironmentWatchDeps);
  await surroundings.onProjectChange([change]);
  return { asked, acted };
}

test('windows that somebody takes away let those go on at once whom they held (R-35)', async () => {
  const opened = { before: project(denied, 1), after: project({}, 2) };
  expect(await after(opened)).toEqual({ asked: ['argocd/idle', 'argocd/held'], acted: ['argocd/held'] });
});

test('a global project wakes everybody, and a status of one nobody (P-2)', async () => {
  const opened = { before: project(denied, 1), after: project({}, 2) };
  const globalProjects = [{ projectName: 'shop', labelSelector: {} }];
  const { acted } = await after(opened, { globalProjects });
  expect(acted).toEqual(['argocd/held', 'argocd/other']);
  expect(await after({ before: project(denied, 1), after: project(denied, 1) })).toEqual({
    asked: [],
    acted: [],
  });
});

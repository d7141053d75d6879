import { beforeEach, expect, test } from 'vitest';
import {
  type Application,
  type AppProject,
  defaultSettings,
  inClusterServer,
  type KubeObject,
} from '#base/model';
import { FairleadError } from '#base/std';
import type { LiveCluster } from '#control/live';
import { OrphanWatch } from './orphan-watch.ts';

const home = { server: inClusterServer } as LiveCluster;
const away = { server: 'https://away.example' } as LiveCluster;
let watching: boolean;
let apps: Application[];
let watch: OrphanWatch;

const app = (name: string, project: string, namespace = 'shop', server = inClusterServer): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: { project, destination: { server, namespace } },
});

const projectNamed = (name: string): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name },
  spec: name === 'strict' && watching ? { orphanedResources: { warn: true } } : {},
});

beforeEach(() => {
  watching = true;
  apps = [app('a', 'strict'), app('b', 'default'), app('c', 'strict', 'shop', 'https://unknown.example')];
  watch = new OrphanWatch({
    all: () => apps,
    context: {
      namespace: 'argocd',
      settings: () => defaultSettings,
      projects: { get: (_, name) => projectNamed(name) },
      clusters: {
        resolve: ({ server }) => {
          if (server === inClusterServer) return home;
          throw new FairleadError('NotFound', 'no such cluster');
        },
      },
    },
  });
});

const object = (more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'left', namespace: 'shop', ...more },
});

test('an object that comes or goes concerns those who watch its namespace, where they deploy to (T-8)', () => {
  expect(watch.concerned(home, { after: object() })).toEqual(['argocd/a']);
  expect(watch.concerned(home, { before: object() })).toEqual(['argocd/a']);
  expect(watch.concerned(away, { after: object() })).toEqual([]);
  expect(watch.concerned(home, { after: object({ namespace: 'other' }) })).toEqual([]);
});

test('a change of what was there before makes no orphan, unless it changes hands', () => {
  expect(watch.concerned(home, { before: object(), after: object({ labels: { a: 'b' } }) })).toEqual([]);
  const owned = object({ annotations: { 'argocd.argoproj.io/tracking-id': 'a:/ConfigMap:shop/left' } });
  expect(watch.concerned(home, { before: owned, after: object() })).toEqual(['argocd/a']);
});

test('what has an owner is no orphan', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '1' }];
  expect(watch.concerned(home, { after: object({ ownerReferences }) })).toEqual([]);
});

test('who watches is found out again when an application or a project has changed', () => {
  expect(watch.concerned(home, { after: object() })).toEqual(['argocd/a']);
  watching = false;
  watch.forget();
  expect(watch.concerned(home, { after: object() })).toEqual([]);
});

test('who watches is found out anew when an application comes, goes or deploys elsewhere, not when its status is written', () => {
  const [a] = apps as [Application];
  const moved = app('a', 'strict', 'elsewhere');
  expect(watch.concerned(home, { after: object() })).toEqual(['argocd/a']);
  apps = [moved];
  watch.onApplicationChange({ before: a, after: { ...a, status: { reconciledAt: 'x' } } });
  expect(watch.concerned(home, { after: object() })).toEqual(['argocd/a']);
  watch.onApplicationChange({ before: a, after: moved });
  expect(watch.concerned(home, { after: object() })).toEqual([]);
  apps = [a, moved];
  watch.onApplicationChange({ after: a });
  expect(watch.concerned(home, { after: object() })).toEqual(['argocd/a']);
});

import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { keepHookFinalizers } from './hook-finalizers.ts';

const resources = 'resources-finalizer.argocd.argoproj.io';
const pre = ['pre-delete-finalizer.argocd.argoproj.io', 'pre-delete-finalizer.argocd.argoproj.io/cleanup'];
const app = (finalizers?: string[], kind = 'Application'): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind,
  metadata: { name: 'child', ...(finalizers && { finalizers }) },
});

test.each([
  ['keeps those of its delete hooks', app([resources]), app([resources, ...pre]), [resources, ...pre]],
  ['loses what Git no longer has', app([]), app([resources, ...pre]), pre],
  ['has what Git says where it has none', app([resources]), app(), [resources]],
  ['is left alone where Git says nothing', app(), app(pre), undefined],
  ['of another kind is as Git has it', app([resources], 'AppProject'), app(pre, 'AppProject'), [resources]],
])('an Application %s (dev A-28)', (_name, target, live, wanted) => {
  expect(keepHookFinalizers(target, live).metadata.finalizers).toEqual(wanted);
});

import { expect, test } from 'vitest';
import { deletionEffect } from './application-deletion.ts';
import {
  applicationIn,
  declaredText,
  emptyApplication,
  formOf,
  whyNotReady,
  withForm,
} from './application-draft.ts';
import { sampleApplication } from './sample-application.ts';

test('the form and the text say the same, and what the form lacks stays', () => {
  const app = sampleApplication(
    {},
    { ignoreDifferences: [{ kind: 'Deployment', jsonPointers: ['/spec/replicas'] }] },
  );
  const form = { ...formOf(app), path: 'payments/prod', isAutomated: true, prune: true, cluster: 'edge' };
  const next = withForm(app, form);
  expect(next.spec).toMatchObject({
    source: { repoURL: app.spec.source?.repoURL, path: 'payments/prod', targetRevision: 'main' },
    destination: { name: 'edge', namespace: 'payments' },
    syncPolicy: { automated: { prune: true, selfHeal: false } },
    ignoreDifferences: app.spec.ignoreDifferences,
  });
  expect(formOf(applicationIn(declaredText(next)))).toEqual(form);
  expect(withForm(next, { ...form, isAutomated: false }).spec.syncPolicy?.automated).toBeUndefined();
});

test('the form makes an application of a Helm repository, and back', () => {
  const form = {
    ...formOf(emptyApplication()),
    name: 'db',
    repo: 'https://charts.example.com',
    isChart: true,
  };
  expect(whyNotReady({ ...form, path: '' }, false)).toContain('chart');
  const app = withForm(emptyApplication(), { ...form, path: 'postgresql' });
  expect(app.spec.source).toEqual({
    repoURL: 'https://charts.example.com',
    chart: 'postgresql',
    targetRevision: '*', // HEAD is no version of a chart
  });
  const pinned = withForm(app, { ...formOf(app), revision: '16.2.1' });
  expect(pinned.spec.source?.targetRevision).toBe('16.2.1');
  expect(withForm(pinned, { ...formOf(pinned), isChart: false, path: 'db' }).spec.source).toEqual({
    repoURL: 'https://charts.example.com',
    path: 'db',
    targetRevision: 'HEAD',
  });
});

test('auto-sync that is switched off reads as off, and keeps its choices until it is switched on', () => {
  const automated = { enabled: false, prune: true, allowEmpty: true };
  const app = sampleApplication({}, { syncPolicy: { automated } });
  const form = formOf(app);
  expect(form.isAutomated).toBe(false);
  expect(withForm(app, form).spec.syncPolicy?.automated).toEqual(automated);
  expect(withForm(app, { ...form, isAutomated: true }).spec.syncPolicy?.automated).toEqual({
    prune: true,
    allowEmpty: true,
    selfHeal: false,
  });
});

test('what a user edits has no status and nothing that the cluster writes', () => {
  const app = sampleApplication();
  app.metadata = { ...app.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: 'now' };
  expect(declaredText(app)).not.toMatch(/status|uid|resourceVersion|creationTimestamp/);
});

test('a text that is no application says what it lacks', () => {
  expect(() => applicationIn('kind: ConfigMap')).toThrow('kind Application');
  expect(() => applicationIn('kind: Application')).toThrow('metadata and spec');
  expect(() => applicationIn('a: [')).toThrow();
});

test('a draft is sent only with a name and a repository', () => {
  const form = formOf(emptyApplication());
  expect(whyNotReady(form, false)).toContain('name');
  expect(whyNotReady({ ...form, name: 'web' }, false)).toContain('repository');
  expect(whyNotReady({ ...form, name: 'web' }, true)).toBeUndefined();
});

test('a deletion says beforehand what becomes of the resources', () => {
  const app = sampleApplication({ resources: [{ kind: 'Service', name: 'web' }] });
  expect(deletionEffect(app, 'keep')).toContain('1 resource will stay');
  expect(deletionEffect(app, 'foreground')).toContain('1 resource will be deleted');
  expect(deletionEffect(sampleApplication(), 'keep')).toContain('no resources');
});

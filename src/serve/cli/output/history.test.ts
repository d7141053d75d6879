import { expect, test } from 'vitest';
import type { Application, RevisionHistory, Source } from '#base/model';
import { historyTable } from './history.ts';

const revision = '53e28ff20cc530b9ada2173fbbd64d48338583ba';
const other = '957f273aaac530b9ada2173fbbd64d48338583ba';
const apps: Source = { repoURL: 'https://git.example.com/apps', path: 'shop', targetRevision: 'main' };
const chart: Source = { repoURL: 'https://charts.example.com', chart: 'redis', targetRevision: '1.x' };

function told(history: RevisionHistory[], sources?: Source[]): string {
  const application: Application = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { ...(sources ? { sources } : { source: apps }), destination: {} },
    status: { history },
  };
  return historyTable(application);
}

test('history names the source, then one line per deployment', () => {
  const deployedAt = '2026-01-02T03:04:05Z';
  const { targetRevision: _head, ...source } = apps;
  expect(told([{ id: 0, revision, deployedAt, source }])).toBe(`SOURCE  https://git.example.com/apps
ID  DATE                  REVISION
0   2026-01-02T03:04:05Z  HEAD (53e28ff)
`);
  expect(told([])).toBe('SOURCE  https://git.example.com/apps\nID  DATE  REVISION\n');
});

test('of several sources each has a table with its own revisions', () => {
  const first = { id: 0, deployedAt: '2026-01-02T03:04:05Z', revisions: ['1.4.0', revision] };
  const second = { id: 1, deployedAt: '2026-01-02T03:05:05Z', revisions: ['1.4.0', other] };
  const sources = [chart, apps];
  expect(
    told([first, second].map((entry) => ({ ...entry, sources }))),
  ).toBe(`SOURCE  https://charts.example.com
ID  DATE                  REVISION
0   2026-01-02T03:04:05Z  1.x (1.4.0)
1   2026-01-02T03:05:05Z  1.x (1.4.0)

SOURCE  https://git.example.com/apps
ID  DATE                  REVISION
0   2026-01-02T03:04:05Z  main (53e28ff)
1   2026-01-02T03:05:05Z  main (957f273)
`);
  expect(told([], sources).match(/SOURCE/g)).toHaveLength(2);
});

test('sources of one repository are told apart by what they take from it', () => {
  const values: Source = { repoURL: apps.repoURL, ref: 'values' };
  const entry = { id: 3, deployedAt: '2026-01-02T03:04:05Z', revisions: [revision, other] };
  const text = told([{ ...entry, sources: [values, apps] }]);
  expect(text).toContain('SOURCE  https://git.example.com/apps $values\n');
  expect(text).toContain('SOURCE  https://git.example.com/apps shop\n');
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultSettings, type KubeObject } from '#base/model';
import { parseAll } from '#lang/yaml';
import { defaultTracking } from '../tracking.ts';
import { type DiffOptions, diff } from './diff.ts';
import { ignoreRules } from './ignore.ts';

type Row = { modified: boolean; target: KubeObject; live: KubeObject; dryRun?: KubeObject };

function rowsOf(file: string): Row[] {
  const text = readFileSync(new URL(`./testdata/peer/${file}`, import.meta.url), 'utf8');
  return parseAll(text, { name: file }).flatMap(({ value }) => value as Row[]);
}

const app = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: { name: 'c' } },
};
const options: DiffOptions = {
  // the engine alone knows no marks and no rules
  tracking: { ...defaultTracking, method: 'label' },
  rules: ignoreRules(app, { ...defaultSettings.resources, ignoreStatusField: 'none' }),
  ignoreAggregatedRoles: false,
  sensitiveAnnotations: [],
  serverSideApply: false,
};

// D-4, D-7, D-19, D-20, D-21: the engine we took the rules from is the judge
test('what kubectl would change differs, and nothing else (D-19, D-20)', () => {
  const rows = rowsOf('three-way.yaml');
  const wrong = rows.filter((row) => diff(row, options).modified !== row.modified);
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(100);
});

test('what a server would merge, or says it would, differs, and nothing else (D-22, D-23, D-24)', () => {
  const rows = rowsOf('server-side.yaml');
  const wrong = rows.filter(
    (row) => diff(row, { ...options, serverSideApply: true }).modified !== row.modified,
  );
  expect(wrong).toEqual([]);
  expect(rows.filter(({ dryRun }) => dryRun).length).toBeGreaterThan(50);
});

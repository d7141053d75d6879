import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyEdits, parse } from '#lang/yaml';
import { checks } from './checks.ts';
import { type DoctorFinding, diagnoseFiles } from './diagnose.ts';
import { readDoctorFile } from './files.ts';

type CheckCase = { check: string; bad: string; good: string; fixed?: string };
const table = parse(readFileSync(new URL('./testdata/checks.yaml', import.meta.url), 'utf8')) as CheckCase[];

const found = (id: string, text: string): DoctorFinding[] =>
  diagnoseFiles({ files: [readDoctorFile('a.yaml', text)], renders: [] }).findings.filter(
    ({ check }) => check.id === id,
  );
/** The lines that the case marks; a mark alone on its line is about the line above. */
const marked = (text: string): number[] =>
  text
    .split('\n')
    .flatMap((line, at) => (line.endsWith('# here') ? [/^\s*# here$/.test(line) ? at : at + 1] : []));
const fix = (findings: readonly DoctorFinding[], text: string): string =>
  applyEdits(
    text,
    findings.flatMap(({ edit }) => edit ?? []),
  );

describe.each(table)('$check', ({ check: id, bad, good, fixed }) => {
  test('finds the fault, at its line', () => {
    expect(found(id, bad).map(({ line }) => line)).toEqual(marked(bad));
  });

  test('finds nothing where there is none', () => {
    expect(found(id, good)).toEqual([]);
  });

  test('a comment on the line turns it off, and one for the file too', () => {
    if (id === 'file-unreadable' || id === 'ignore-unknown') return;
    expect(found(id, `# fairlead-doctor: ignore-file ${id}\n${bad}`)).toEqual([]);
    const commented = bad.replaceAll('# here', `# fairlead-doctor: ignore ${id} (on purpose)`);
    if (marked(bad).length === marked(bad.replaceAll(/^\s*# here$/gm, '')).length && !bad.includes('csv'))
      expect(found(id, commented)).toEqual([]);
  });

  test('fixes what is safe to fix, and nothing else', () => {
    const findings = found(id, bad);
    if (fixed === undefined) {
      expect(findings.filter(({ edit }) => edit)).toEqual([]);
      return;
    }
    expect(fix(findings, bad)).toBe(fixed);
    expect(found(id, fixed)).toEqual([]);
  });
});

test('a rollout-duration is an error where Knative refuses it, and without effect where a Rollout moves the traffic', () => {
  const { bad = '' } = table.find(({ check }) => check === 'knative-rollout-duration') ?? {};
  expect(
    found('knative-rollout-duration', bad).map(({ severity, message }) => `${severity}: ${message}`),
  ).toEqual([
    'warning: web spreads every rollout over 180s',
    'error: the rollout-duration of refused is "180", which Knative refuses: it has no unit, as in 180s',
    'warning: moved has a rollout-duration of 2m without effect: the Rollout moved names the Revisions that get its traffic',
  ]);
  const refused = (value: string): string[] =>
    found('knative-rollout-duration', bad.replace('180s', value)).map(({ message }) => message);
  expect(refused('-5s')[0]).toMatch(/refuses: it is below zero$/);
  expect(refused('1500ms')[0]).toMatch(/refuses: it has a fraction of a second$/);
  expect(refused('slow')[0]).toMatch(/refuses: it is no duration, such as 90s or 5m$/);
});

test('the seconds of all rollouts are read in the object of the operator too', () => {
  const serving = (value: string): string =>
    `apiVersion: operator.knative.dev/v1beta1\nkind: KnativeServing\nmetadata: {name: k}\nspec: {config: {network: {rollout-duration: ${value}}}}\n`;
  const findings = found('knative-rollout-seconds', serving('30s'));
  expect(findings.map(({ message }) => message)).toEqual([
    'rollout-duration is "30s", and Knative wants a number of seconds',
  ]);
  expect(fix(findings, serving('30s'))).toBe(serving('"30"'));
  expect(found('knative-rollout-seconds', serving('soon')).map(({ edit }) => edit)).toEqual([undefined]);
});

/** These need more than one file: `diagnose.test.ts`. */
const elsewhere = [
  'kustomization-unbuilt',
  'knative-containers-replaced',
  'knative-hidden-traffic',
  'knative-server-side-apply',
];

test('every check has a case, an id of its own and sentences', () => {
  const ids = checks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...table.map(({ check }) => check), ...elsewhere].sort()).toEqual(ids.toSorted());
  for (const { id, title, why, fix: how } of checks) {
    expect(id).toMatch(/^[a-z][a-z0-9-]+$/);
    expect(`${title}${how}`, id).not.toMatch(/\.$/m);
    expect(why, id).toMatch(/\.$/);
  }
});

test('no message has the value of a Secret or of a variable', () => {
  for (const { bad } of table) {
    const all = diagnoseFiles({ files: [readDoctorFile('a.yaml', bad)], renders: [] }).findings;
    expect(all.map(({ message }) => message).join('\n')).not.toMatch(/hunter2|aHVudGVyMg/);
  }
});

test('the guide lists every check, with its severity and its title', () => {
  const guide = readFileSync(new URL('../../../docs/guide/doctor.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => /^\| `[a-z-]+` \| (?:error|warning|note) \|/.test(line));
  expect(rows).toEqual(checks.map(({ id, severity, title }) => `| \`${id}\` | ${severity} | ${title} |`));
});

import { expect, test } from 'vitest';
import type { Application, AppProject } from '#base/model';
import {
  applicationHints,
  gateAutomation,
  gateRequest,
  previewWindows,
  projectProblems,
  projectWarnings,
  type WindowVerdict,
} from '#engine';
import { manifest } from './documents.ts';
import { application } from './installation.ts';

// the windows of "GitOps with ArgoCD" at moments one can check on a calendar; all times are UTC
const production = manifest<AppProject>('002/project-production.yaml');
const platform = manifest<AppProject>('002/project-platform.yaml');
const emergency = manifest<AppProject>('002/project-emergency.yaml');

const verdicts = (project: AppProject, app: Application, at: string): string => {
  const now = new Date(at);
  const say = ({ allowed }: WindowVerdict) => (allowed ? 'yes' : 'no');
  return `${say(gateAutomation(project, app, now))}/${say(gateRequest(project, app, { now, mayOverride: false }))}`;
};

// automated/by hand. Between the allow window's hours people pass, because manualSync is on; no deny lets anybody pass
test.each([
  ['2026-06-03T10:00:00Z', 'a Wednesday at work', 'yes/yes', 'yes/yes'],
  ['2026-06-03T08:59:59Z', 'just before nine', 'no/yes', 'yes/yes'],
  ['2026-06-03T09:00:01Z', 'just after nine', 'yes/yes', 'yes/yes'],
  ['2026-06-03T17:00:01Z', 'just after five', 'no/yes', 'yes/yes'],
  ['2026-06-05T16:59:59Z', 'Friday, just before five', 'yes/yes', 'yes/yes'],
  ['2026-06-06T12:00:00Z', 'Saturday noon', 'no/no', 'no/no'],
  ['2026-06-07T23:59:59Z', 'Sunday, just before midnight', 'no/no', 'no/no'],
  ['2026-06-08T00:00:01Z', 'Monday, just after midnight', 'no/yes', 'yes/yes'],
  ['2026-07-01T01:59:59Z', 'the first, just before maintenance', 'no/yes', 'yes/yes'],
  ['2026-07-01T03:00:00Z', 'the first, during maintenance', 'no/no', 'no/no'],
  ['2026-07-01T06:00:01Z', 'the first, just after maintenance', 'no/yes', 'yes/yes'],
  ['2026-07-01T10:00:00Z', 'the first, at work', 'yes/yes', 'yes/yes'],
])('production at %s (%s): my-app %s, critical-pay %s (P-41, P-42, X-25)', (at, _, ordinary, critical) => {
  expect(verdicts(production, application({}, 'my-app'), at)).toBe(ordinary);
  expect(verdicts(production, application({}, 'critical-pay'), at)).toBe(critical);
});

test.each([
  ['my-app', '2026-06-06T12:00:00Z', '2026-06-08T09:00:00'],
  ['my-app', '2026-06-03T18:00:00Z', '2026-06-04T09:00:00'],
  ['critical-pay', '2026-07-01T03:00:00Z', '2026-07-01T06:00:00'],
  // Saturday the first: the weekend outlasts the maintenance
  ['my-app', '2026-08-01T03:00:00Z', '2026-08-03T09:00:00'],
])('%s, blocked at %s, may sync by itself from %s on', (name, at, opensAt) => {
  const verdict = gateAutomation(production, application({}, name), new Date(at));
  expect(verdict.allowed || verdict.opensAt?.toISOString().slice(0, 19)).toBe(opensAt);
});

test('that a deny beats the window meant to be always open is told, in the preview and beforehand (X-25)', () => {
  const critical = application({}, 'critical-pay');
  const { notes } = previewWindows(production.spec.syncWindows, critical, new Date('2026-06-06T12:00:00Z'));
  expect(notes.join()).toContain('a deny always does');
  expect(projectWarnings(production).join()).toContain('an active deny window still wins over it');
  expect(projectProblems(production)).toEqual([]);
});

test('the platform team has office hours and nothing else', () => {
  const app = application({}, 'ingress');
  expect(verdicts(platform, app, '2026-06-03T10:00:00Z')).toBe('yes/yes');
  expect(verdicts(platform, app, '2026-06-06T12:00:00Z')).toBe('no/yes');
});

test('the emergency project has no windows and is always open', () => {
  for (const at of ['2026-06-06T12:00:00Z', '2026-07-01T03:00:00Z'])
    expect(verdicts(emergency, application({}, 'my-app-prod'), at)).toBe('yes/yes');
});

test('the annotation said to lift windows does nothing, and its author is told what would (X-22)', () => {
  const shown = manifest<Application>('002/override-annotation.yaml');
  const app: Application = { ...shown, spec: { ...application().spec, ...shown.spec } };
  expect(verdicts(production, app, '2026-06-06T12:00:00Z')).toBe('no/no');
  const [hint] = applicationHints(app, production.spec.syncWindows);
  expect(hint).toContain('opens no sync window');
  expect(hint).toContain('fairlead.io/sync-window-override');
});

test('the way that does lift them is dated, and for people who may override alone (X-22)', () => {
  const now = new Date('2026-06-06T12:00:00Z');
  const app = application({}, 'my-app-prod');
  const annotations = { 'fairlead.io/sync-window-override': '2026-06-06T13:00:00Z' };
  const lifted: Application = { ...app, metadata: { ...app.metadata, annotations } };
  expect(gateRequest(production, lifted, { now, mayOverride: true }).allowed).toBe(true);
  expect(gateRequest(production, lifted, { now, mayOverride: false }).allowed).toBe(false);
  expect(gateAutomation(production, lifted, now).allowed).toBe(false);
  const later = new Date('2026-06-06T13:00:00Z');
  expect(gateRequest(production, lifted, { now: later, mayOverride: true }).allowed).toBe(false);
});

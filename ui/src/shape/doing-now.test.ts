import { expect, test } from 'vitest';
import { annotation } from '#base/model';
import { doingNow } from './doing-now.ts';
import { sampleApplication, sampleOperation, sampleRun } from './sample-application.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const result = { group: '', version: 'v1', kind: 'Service', namespace: '', name: 'web' };

test('an application at rest says when it was synced', () => {
  expect(doingNow(sampleApplication(), now)).toEqual({ text: 'Synced 28 min ago' });
  expect(doingNow({ ...sampleApplication(), status: {} }, now)).toEqual({ text: 'Never synced' });
});

test('a sync says how far it is and what it waits for', () => {
  const resources = [result, { ...result, name: 'api', syncWave: 2 }];
  const begun = sampleRun({ syncResult: { resources: [{ ...result, hookPhase: 'Running' }] } });
  expect(doingNow(sampleApplication({ operationState: begun, resources }), now)).toEqual({
    text: 'Syncing wave 0',
    detail: 'waits for Service web',
    tone: 'busy',
    progress: 0,
  });
  const half = sampleRun({ syncResult: { resources: [{ ...result, hookPhase: 'Succeeded' }] } });
  expect(doingNow(sampleApplication({ operationState: half, resources }), now)).toMatchObject({
    text: 'Syncing 1 of 2',
    progress: 0.5,
  });
  expect(doingNow(sampleApplication({ operationState: sampleRun({ syncResult: {} }) }), now).text).toBe(
    'Syncing',
  );
});

test('what ended badly says so', () => {
  const failed = sampleOperation({ phase: 'Failed', message: 'two objects failed\nand more' });
  expect(doingNow(sampleApplication({ operationState: failed }), now)).toEqual({
    text: 'Sync failed: two objects failed',
    tone: 'bad',
  });
  const conditions = [{ type: 'ComparisonError' as const, message: 'no such path' }];
  expect(doingNow(sampleApplication({ conditions }), now).text).toBe('Cannot compare: no such path');
});

test('what is not healthy has its cause in the list, and not its state, which has a column of its own', () => {
  const message = 'Deployment web (ImagePullBackOff: Back-off pulling image "web:2")';
  for (const status of ['Degraded', 'Progressing'] as const)
    expect(doingNow(sampleApplication({ health: { status, message } }), now)).toEqual({
      text: message,
      tone: 'bad',
    });
  const missing = { status: 'Missing', message: 'Deployment web' } as const;
  expect(doingNow(sampleApplication({ health: missing }), now)).toEqual({
    text: 'Deployment web',
    tone: 'warn',
  });
  expect(doingNow(sampleApplication({ health: { status: 'Degraded' } }), now).text).toBe('Synced 28 min ago');
});

test('requests that have not begun are shown at once', () => {
  const asked = { ...sampleApplication(), operation: {} };
  expect(doingNow(asked, now).text).toBe('About to sync');
  const refreshing = sampleApplication();
  refreshing.metadata.annotations = { [annotation.refresh]: 'normal' };
  expect(doingNow(refreshing, now).text).toBe('Refreshing');
  const leaving = sampleApplication();
  leaving.metadata.deletionTimestamp = '2026-03-18T14:00:00Z';
  expect(doingNow(leaving, now).text).toBe('Deleting');
  expect(doingNow(sampleApplication({ operationState: sampleRun({ phase: 'Terminating' }) }), now).text).toBe(
    'Stopping the sync',
  );
});

import { describe, expect, test } from 'vitest';
import type { ApplicationStatus, OperationState } from '#base/model';
import { attentionOf } from './attention.ts';
import { doingNow } from './doing-now.ts';
import { causeOf, innermost } from './innermost-cause.ts';
import { openingSentence } from './opening-sentence.ts';
import { headlineOf } from './operation-headline.ts';
import { progressOf, timelineOf } from './operation-timeline.ts';
import { sampleApplication, sampleOperation, sampleRun } from './sample-application.ts';
import { textOf } from './span.ts';

const now = Date.parse('2026-03-18T14:30:00Z');
const cause = 'Service web: spec.ports[0].port must be int32, not string';
const result = {
  group: '',
  version: 'v1',
  kind: 'Service',
  namespace: 'shop',
  name: 'web',
  status: 'SyncFailed' as const,
  message: cause,
};
const retrying: OperationState = sampleOperation({
  phase: 'Running',
  retryCount: 4,
  message: `nothing was applied: the dry run failed for Service shop/web: ${cause}; attempt 5 begins at 2026-03-18T14:30:20Z`,
  syncResult: { resources: [result] },
});
const rendering =
  "render failure: `kustomize build prod` failed exit status 1: error: accumulating resources: accumulation err='accumulating " +
  "resources from '../base': 'base' must resolve to a file': recursed accumulation of path 'base': accumulating resources: accumulation " +
  "err='accumulating resources from 'missing.yaml': evalsymlink failure on 'storefront/base/missing.yaml' : lstat " +
  "storefront/base/missing.yaml: no such file or directory'";
const condition = (type: string, message = 'words') =>
  ({ conditions: [{ type, message }] }) as ApplicationStatus;

describe('an application needs attention', () => {
  test.each<[string, ApplicationStatus, string]>([
    ['it is Degraded', { health: { status: 'Degraded', message: 'no pods' } }, 'Degraded: no pods'],
    ['it is Missing', { health: { status: 'Missing' } }, 'Missing'],
    [
      'an image cannot be pulled, long before the rollout is given up',
      { health: { status: 'Progressing', message: 'Deployment web (ImagePullBackOff: not found)' } },
      'Progressing: Deployment web (ImagePullBackOff: not found)',
    ],
    [
      'its sync failed',
      { operationState: sampleOperation({ phase: 'Failed', message: 'no' }) },
      'Sync failed: no',
    ],
    ['its sync is tried again', { operationState: retrying }, `Sync failed 4 times: ${cause}`],
    [
      'its sync is being tried again',
      { operationState: sampleRun({ retryCount: 2 }) },
      'Sync failed 2 times',
    ],
    [
      'it cannot be compared',
      condition('ComparisonError', rendering),
      'Cannot compare: storefront/base/missing.yaml does not exist',
    ],
    ['its spec is invalid', condition('InvalidSpecError'), 'Invalid spec: words'],
    ['it cannot be deleted', condition('DeletionError'), 'Cannot be deleted: words'],
    ['two applications share a resource', condition('SharedResourceWarning'), 'words'],
    ['a sync option is unknown', condition('UnknownSyncOptionWarning'), 'words'],
    [
      'a prune waits for its confirmation',
      { operationState: sampleRun({ message: 'waiting for ConfigMap d/x to be confirmed for pruning' }) },
      'Waiting for ConfigMap d/x to be confirmed for pruning',
    ],
    [
      'a window blocks its sync',
      { operationState: sampleRun({ message: 'sync is blocked: the deny window 0 22 * * *' }) },
      'Sync is blocked: the deny window 0 22 * * *',
    ],
  ])('because %s', (_, status, text) => {
    expect(attentionOf(sampleApplication(status))?.text).toBe(text);
  });
});

describe('an application needs none', () => {
  test.each<[string, ApplicationStatus]>([
    ['it is healthy', {}],
    ['it is out of sync only', { sync: { status: 'OutOfSync' } }],
    ['it is progressing', { health: { status: 'Progressing' } }],
    ['its first sync runs', { health: { status: 'Missing' }, operationState: sampleRun() }],
    [
      'a sync waits for a Job',
      { operationState: sampleRun({ message: 'waiting for Job d/m to complete (Progressing)' }) },
    ],
    ['other objects are in its namespace', condition('OrphanedResourceWarning')],
  ])('when %s', (_, status) => {
    expect(attentionOf(sampleApplication(status))).toBeUndefined();
  });

  test('when it is new', () => {
    expect(attentionOf({ ...sampleApplication(), status: {} })).toBeUndefined();
  });
});

describe('a sync that keeps failing', () => {
  const sentence = (status: ApplicationStatus) =>
    textOf(openingSentence({ app: sampleApplication(status), items: [], now, zone: 'UTC' }));
  const why =
    'has failed 4 times since 14:01: Service web: “spec.ports[0].port must be int32, not string”; next try in 20 s.';

  test('is in the opening sentence, with its cause and the next try', () => {
    expect(
      sentence({ health: { status: 'Missing' }, sync: { status: 'OutOfSync' }, operationState: retrying }),
    ).toBe(`payments-api is Missing and OutOfSync: its sync to commit 3f9c2e1 ${why}`);
    expect(sentence({ sync: { status: 'OutOfSync' }, operationState: retrying })).toBe(
      `payments-api is Healthy but OutOfSync: its sync to commit 3f9c2e1 ${why}`,
    );
  });

  test('does not hide behind Healthy and Synced', () => {
    const operationState = sampleOperation({ phase: 'Failed', message: 'Job smoke failed' });
    expect(sentence({ operationState })).toBe(
      'payments-api is Healthy and Synced, but the auto-sync of 14:01 to commit 3f9c2e1 failed: “Job smoke failed”.',
    );
  });

  test('is no progress in the strip, nor in the list', () => {
    expect(headlineOf(retrying, now, 'UTC')).toMatchObject({
      title: 'Attempt 4 failed',
      tone: 'bad',
    });
    expect(progressOf(timelineOf(retrying))).toBe('1 of 1 failed');
    const app = { ...sampleApplication({ operationState: retrying }), operation: {} };
    expect(doingNow(app, now)).toEqual({
      text: `Sync failed 4 times: ${cause}`,
      detail: 'next try in 20 s',
      tone: 'bad',
    });
  });
});

describe('the innermost cause', () => {
  test.each([
    [rendering, 'storefront/base/missing.yaml does not exist'],
    [
      'rpc error: code = Unknown desc = failed to list refs: authentication required',
      'authentication required',
    ],
    [
      'render failure: Error: template: shop/templates/web.yaml:12:18: executing "web" at <.Values.image.tag>: nil pointer evaluating interface {}.tag',
      'shop/templates/web.yaml:12:18: nil pointer evaluating interface {}.tag',
    ],
    [
      'render failure: Error: YAML parse error on shop/templates/web.yaml: error converting YAML to JSON: yaml: line 4: did not find expected key',
      'shop/templates/web.yaml: line 4: did not find expected key',
    ],
    ['no kustomization file in overlays/prod\nstack', 'no kustomization file in overlays/prod'],
  ])('of %s', (message, text) => {
    expect(causeOf(message)).toEqual({ text, whole: message });
  });

  test('of a plain message is the message, with nothing to fold', () => {
    expect(causeOf('project shop does not exist')).toEqual({ text: 'project shop does not exist' });
  });
});

test.each([
  ['rpc error: code = Unknown desc = failed to fetch: no route to host', 'no route to host'],
  ['spec.goTemplateOptions: want missingkey=error', 'spec.goTemplateOptions: want missingkey=error'],
  ['failed to parse "a: b": bad indentation', 'failed to parse "a: b": bad indentation'],
  ['error: ', 'error: '],
])('the cause inside %s is %s', (message, cause) => {
  expect(innermost(message)).toBe(cause);
});

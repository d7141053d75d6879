import { describe, expect, test } from 'vitest';
import type { ApplicationSetPreview } from '#serve/api';
import { yamlOf } from './changes.ts';
import { eventLinesOf } from './events.ts';
import { sampleApplication } from './sample-application.ts';
import { parameterTable, previewGroups, previewSentence } from './set-preview.ts';

const app = (name: string) => sampleApplication({}, {}, name);

describe('a preview', () => {
  const none: ApplicationSetPreview = {
    changes: [],
    unchanged: 0,
    parameters: [],
    invalid: [],
    warnings: [],
  };
  const changes: ApplicationSetPreview['changes'] = [
    { action: 'delete', application: 'old', live: app('old') },
    { action: 'create', application: 'new', target: app('new') },
    {
      action: 'update',
      application: 'web',
      live: app('web'),
      target: { ...app('web'), spec: { destination: {} } },
    },
  ];

  test.each<[Partial<ApplicationSetPreview>, string]>([
    [{}, 'Nothing would change.'],
    [{ unchanged: 1 }, 'Nothing would change: 1 stays as it is.'],
    [{ blocked: 'no such repository' }, 'Nothing would be done.'],
    [
      { changes, unchanged: 9, invalid: [{ application: 'x', message: 'no project' }] },
      'The set would create 1 application, update 1 application and delete 1 application; 9 stay as they are, 1 cannot be used.',
    ],
    [{ changes: changes.slice(0, 1) }, 'The set would delete 1 application.'],
  ])('of %# says so', (some, words) => {
    expect(previewSentence({ ...none, ...some })).toBe(words);
  });

  test('shows creations, updates and deletions, each as the set would write it', () => {
    const groups = previewGroups({ ...none, changes });
    expect(groups.map(({ action, changes: [first] }) => [action, first?.deed, first?.name])).toEqual([
      ['create', 'create', 'new'],
      ['update', 'change', 'web'],
      ['delete', 'delete', 'old'],
    ]);
    const [created, updated, gone] = groups.map((group) => group.changes[0]);
    expect([created?.before, gone?.after]).toEqual(['', '']);
    expect(yamlOf(updated?.before ?? '')).not.toContain('status:');
    expect(yamlOf(updated?.after ?? '')).toContain('destination: {}');
  });

  test('shows the parameters as a table, nested ones by their path', () => {
    const parameters = [
      { name: 'a', path: { basename: 'x', segments: ['p', 'q'] } },
      { name: 'b', size: 2 },
    ];
    expect(parameterTable(parameters)).toEqual({
      keys: ['name', 'path.basename', 'path.segments', 'size'],
      rows: [
        ['a', 'x', '["p","q"]', ''],
        ['b', '', '', '2'],
      ],
    });
  });
});

test('events come newest first, with their number and time from whichever field has it', () => {
  const event = (name: string, fields: object) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, creationTimestamp: '2026-03-18T10:00:00Z' },
    ...fields,
  });
  const lines = eventLinesOf([
    event('a', { reason: 'created', message: 'made one', lastTimestamp: '2026-03-18T11:00:00Z', count: 3 }),
    event('b', { type: 'Warning', series: { count: 7, lastObservedTime: '2026-03-18T12:00:00Z' } }),
    event('c', {}),
  ]);
  expect(lines.map(({ key, count, isWarning }) => [key, count, isWarning])).toEqual([
    ['b', 7, true],
    ['a', 3, false],
    ['c', 1, false],
  ]);
});

import { expect, test } from 'vitest';
import { cases } from '../../../test/cases.ts';
import { type ApplicationEvent, abandonedEvent, eventsFor } from './events.ts';

test.each(cases<ApplicationEvent[]>(new URL('./testdata/events/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { before, after } = input[0];
    expect(eventsFor(before ?? undefined, after ?? undefined)).toEqual(wanted);
  },
);

test('nobody goes in silence for want of a cluster (A-37)', () => {
  const event = abandonedEvent('https://gone.example');
  expect(event).toMatchObject({ type: 'Warning', reason: 'StatusRefreshed' });
  expect(event.message).toContain('https://gone.example');
});

test('where nothing was and nothing is there is nothing to tell', () => {
  expect(eventsFor(undefined, undefined)).toEqual([]);
});

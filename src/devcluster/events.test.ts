import { expect, test } from 'vitest';
import { virtualClock } from '#std';
import { talk } from '../../test/talk.ts';

const events = '/api/v1/namespaces/default/events';
const event = (name: string, lastTimestamp: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  lastTimestamp,
});

test('an event is forgotten an hour after it was last seen (contract 3.20)', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:00:00Z') });
  const { post, get, cluster } = await talk({ clock });
  await post(events, event('old', '2026-01-02T03:00:00Z'));
  await clock.advance(59 * 60_000);
  await post(events, event('young', '2026-01-02T03:59:00Z'));
  await cluster.settled();
  expect((await get(events)).body.items).toHaveLength(2);
  await clock.advance(2 * 60_000);
  await post(events, event('new', '2026-01-02T04:01:00Z'));
  await cluster.settled();
  const names = (await get(events)).body.items.map((item: any) => item.metadata.name);
  expect(names).toEqual(['new', 'young']);
});

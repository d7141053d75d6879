import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { talk } from '../../../test/talk.ts';

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

test('of more Events than there is room for, those that were seen longest ago are deleted', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:00:00Z') });
  const { post, get, cluster } = await talk({ clock, events: { count: 16 } });
  for (let at = 0; at < 40; at++) {
    await post(events, event(`e${at}`, new Date(clock.now()).toISOString()));
    await clock.advance(1_000);
  }
  await cluster.settled();
  const names = (await get(events)).body.items.map((item: any) => item.metadata.name);
  expect(names.length).toBeLessThanOrEqual(16);
  expect(names.length).toBeGreaterThanOrEqual(14);
  expect(names).toContain('e39');
  expect(names).not.toContain('e20');
});

test('a few large Events are as much as many small ones', async () => {
  const clock = virtualClock({ start: new Date('2026-01-02T03:00:00Z') });
  const { post, get, cluster } = await talk({ clock, events: { bytes: 64 * 1024 } });
  for (let at = 0; at < 40; at++) {
    const large = { ...event(`e${at}`, new Date(clock.now()).toISOString()), message: 'm'.repeat(8 * 1024) };
    await post(events, large);
    await clock.advance(1_000);
  }
  await cluster.settled();
  const { items } = (await get(events)).body;
  expect(items.length).toBeLessThanOrEqual(8);
  expect(items.map((item: any) => item.metadata.name)).toContain('e39');
});

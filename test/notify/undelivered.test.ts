import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, NotificationGround, type Process } from './ground.ts';

// What was not delivered when a process ends is delivered by the next one, also when its condition does not hold any more

let ground: NotificationGround;
beforeEach(async () => {
  ground = await NotificationGround.open();
  await ground.configure();
});
afterEach(() => ground.close());

const counted = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};
const flips = ['Degraded', 'Healthy', 'Degraded'];
const messages = ['shop is bad', 'shop is good', 'shop is bad'];

/** Everything before was delivered or never will be: a later message to the same channel has come, and nothing is recorded. */
async function settled(name: string, on = ground): Promise<void> {
  await on.application(name, 'alerts', 'Healthy');
  await eventually(() => expect(on.texts).toContain(`${name} is good`));
  await eventually(async () => expect(await on.recorded()).toEqual([]));
}

test('a message whose condition stopped holding during an outage is delivered after a kill -9', async () => {
  ground.isDown();
  const life = ground.start();
  await ground.application('shop', 'alerts', 'Degraded');
  await eventually(() => expect(ground.slack.received.length).toBeGreaterThan(0));
  await ground.health('shop', 'Progressing');
  life.kill();
  await ground.isUpAgain();
  ground.start();
  await settled('later');
  expect(ground.texts).toEqual(['shop is bad', 'later is good']);
});

test('three transitions during an outage are three messages, and their condition is marked where it holds', async () => {
  ground.isDown();
  ground.start();
  await ground.application('shop');
  for (const [at, status] of flips.entries()) {
    await ground.health('shop', status);
    await eventually(async () => expect(await ground.recorded()).toEqual(messages.slice(0, at + 1)));
  }
  await ground.isUpAgain();
  await ground.configure({ context: 'again: true' }); // what waits is tried at once
  await settled('later');
  expect(ground.texts.filter((text) => text.startsWith('shop'))).toEqual(messages);
  expect(await ground.marks('shop')).toEqual([expect.stringContaining('bad:')]);
});

test('what was delivered and marked before a kill -9 is not delivered again', async () => {
  let life = ground.start();
  await ground.application('shop', 'alerts', 'Degraded');
  await eventually(async () => expect(await ground.marks('shop')).toHaveLength(1));
  life.kill(); // its record may still be there
  life = ground.start();
  await settled('later');
  expect(ground.texts).toEqual(['shop is bad', 'later is good']);
});

describe('a process that is killed at any of its writes', () => {
  const cuts = Array.from({ length: 8 }, (_, at) => at);

  /** Three transitions while the service is down; a process that can write no more is killed and started again. */
  async function outage(on: NotificationGround, first: Process): Promise<void> {
    let life = first;
    await on.application('shop');
    for (const [at, status] of flips.entries()) {
      const expected = messages.slice(0, at + 1);
      await on.health('shop', status);
      await eventually(async () => {
        if (!life.isCutOff) expect(await on.recorded()).toEqual(expected);
      });
      if (!life.isCutOff) continue;
      life.kill();
      life = on.start();
      await eventually(async () => expect(await on.recorded()).toEqual(expected));
    }
    life.kill();
  }

  /** A cluster of its own, where the service is down. */
  async function onGround(play: (on: NotificationGround) => Promise<void>): Promise<void> {
    const own = await NotificationGround.open();
    try {
      await own.configure();
      own.isDown();
      await play(own);
    } finally {
      await own.close();
    }
  }

  test.each(cuts)('loses no message of an outage and repeats none: after %i writes', (writes) =>
    onGround(async (on) => {
      await outage(on, on.start({ writes }));
      await on.isUpAgain();
      on.start();
      await settled('later', on);
      expect(on.texts).toEqual([...messages, 'later is good']);
    }),
  );

  test.each(cuts)('repeats at most one message when the service is back: after %i writes', (writes) =>
    onGround(async (on) => {
      await outage(on, on.start());
      await on.isUpAgain();
      const cut = on.start({ writes });
      await eventually(async () => {
        if (!cut.isCutOff) expect(await on.recorded()).toEqual([]);
      });
      cut.kill();
      on.start();
      await settled('later', on);
      const counts = counted(on.texts);
      expect(Object.keys(counts).sort()).toEqual(['later is good', 'shop is bad', 'shop is good']);
      expect(counts['shop is bad']).toBeGreaterThanOrEqual(2);
      expect(on.texts.length).toBeLessThanOrEqual(messages.length + 1 + 1);
    }),
  );
});

test('a record that is larger than there is room for, and the oldest ones, are dropped by name and stay in the queue', async () => {
  const dropped: string[] = [];
  ground.isDown();
  const large = 'x'.repeat(60_000);
  await ground.configure({
    'template.bad': `message: "{{.app.metadata.name}} is bad ${large}"`,
    'template.good': `message: "{{.app.metadata.name}} is good ${large}${large}"`,
  });
  ground.start({
    observe: {
      delivered: () => {},
      evaluated: () => {},
      unrecorded: (trigger, service) => void dropped.push(`${trigger} ${service}`),
    },
  });
  await ground.application('huge', 'alerts', 'Healthy');
  await eventually(() => expect(dropped).toEqual(['good slack']));
  expect(ground.warnings.join('\n')).toMatch(/not recorded: no room.*"app":"huge".*"trigger":"good"/);
  for (let at = 0; at < 16; at++) await ground.application(`a${at}`, 'alerts', 'Degraded');
  // thirteen of sixteen have room
  await eventually(() => expect(dropped).toEqual(['good slack', 'bad slack', 'bad slack', 'bad slack']));
  const recorded = async () => (await ground.recorded()).map((text) => text.split(' ', 1)[0]);
  const newest = Array.from({ length: 13 }, (_, at) => `a${at + 3}`);
  await eventually(async () => expect((await recorded()).sort()).toEqual(newest.sort()));
  await ground.isUpAgain();
  await ground.configure();
  const heard = () => new Set(ground.texts.map((text) => text.split(' ', 1)[0]));
  await eventually(async () => expect(await ground.recorded()).toEqual([]));
  await eventually(() => expect(heard().has('huge') && heard().has('a0')).toBe(true));
});

test('a record that cannot be written delays no message', async () => {
  await ground.put('Secret', 'fairlead-notifications', { immutable: true, data: {} });
  ground.start();
  await ground.application('shop', 'alerts', 'Degraded');
  await eventually(() => expect(ground.texts).toEqual(['shop is bad']));
  expect(ground.warnings.join('\n')).toContain('undelivered notifications not recorded');
  await eventually(async () => expect(await ground.marks('shop')).toHaveLength(1));
});

test('a record that cannot be read is removed by name, and the others are delivered', async () => {
  ground.isDown();
  const life = ground.start();
  await ground.application('shop', 'alerts', 'Degraded');
  await eventually(async () => expect(await ground.recorded()).toEqual(['shop is bad']));
  life.kill();
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'fairlead-notifications' };
  await ground.kube.patch(ground.ctx, ref, { type: 'merge', body: { data: { other: 'eA==' } } });
  await ground.isUpAgain();
  ground.start();
  await eventually(() => expect(ground.texts).toEqual(['shop is bad']));
  expect(ground.warnings.join('\n')).toMatch(/not usable, removed.*"key":"other"/);
  await eventually(async () => expect(await ground.recorded()).toEqual([]));
});

test('after a leader change a message is sent once, and the new leader delivers what the old one could not', async () => {
  const old = ground.start({ identity: 'a' });
  await eventually(() => expect(old.isLeading).toBe(true));
  const next = ground.start({ identity: 'b' });
  await ground.application('shop', 'alerts', 'Degraded');
  await eventually(async () => expect(await ground.marks('shop')).toHaveLength(1));
  ground.isDown();
  await ground.health('shop', 'Healthy');
  await eventually(() => expect(ground.warnings.join()).toMatch(/not delivered.*"trigger":"good"/));
  await ground.health('shop', 'Progressing');
  expect(next.isLeading).toBe(false);
  await old.stop();
  await ground.isUpAgain();
  await eventually(() => expect(next.isLeading).toBe(true));
  await settled('later');
  expect(ground.texts).toEqual(['shop is bad', 'shop is good', 'later is good']);
});

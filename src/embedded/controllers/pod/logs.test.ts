import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { createPodLogs } from './logs.ts';

const ended = {
  exitCode: 1,
  reason: 'Error',
  message: 'the simulated process exited with code 1',
  startedAt: '2024-01-01T00:00:00Z',
  finishedAt: '2024-01-01T00:00:01Z',
  containerID: '',
};
const status = {
  name: 'c',
  image: 'c:1',
  ready: true,
  restartCount: 1,
  state: { running: { startedAt: '2024-01-01T00:00:02Z' } },
  lastState: { terminated: ended },
};
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  status: { containerStatuses: [status] },
};
const request = {
  namespace: 'default',
  pod: 'p',
  container: 'c',
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  sinceSeconds: undefined,
  signal: new AbortController().signal,
};

async function printed(
  more: Partial<Omit<typeof request, 'tailLines'>> & { tailLines?: number } = {},
): Promise<string[]> {
  const logs = createPodLogs(() => ({ get: () => pod }), virtualClock());
  let text = '';
  for await (const part of logs({ ...request, ...more } as Parameters<typeof logs>[0])) text += part;
  return text.split('\n').slice(0, -1);
}

test('a container says that it runs, and what it is', async () => {
  expect(await printed()).toEqual([
    'container c of image c:1 has started (run 2)',
    'this process is simulated: it serves nothing and prints nothing else',
  ]);
});

test('the run before tells how it ended', async () => {
  expect((await printed({ previous: true })).at(-1)).toBe('the simulated process exited with code 1');
});

test('lines can be dated and cut', async () => {
  expect(await printed({ timestamps: true, tailLines: 1 })).toEqual([
    '2024-01-01T00:00:02Z this process is simulated: it serves nothing and prints nothing else',
  ]);
});

test('a followed log ends with its reader', async () => {
  const stop = new AbortController();
  const reading = printed({ follow: true, signal: stop.signal });
  stop.abort();
  expect(await reading).toHaveLength(2);
});

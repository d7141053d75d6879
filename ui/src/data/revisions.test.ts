import { expect, test } from 'vitest';
import { printJson, virtualClock } from '#base/std';
import type { Send } from '#serve/api';
import { type RevisionRef, Revisions } from './revisions.ts';

const refOf = (at: number): RevisionRef => ({
  namespace: 'argocd',
  name: `app-${at}`,
  repo: 'https://git.example.com/shop',
  revision: String(at).padStart(40, '0'),
});

/** A server with a commit for every revision, and the applications it was requested for. */
function server(): { send: Send; requested: string[] } {
  const requested: string[] = [];
  const send: Send = async ({ path }) => {
    requested.push(/app-\d+/.exec(path)?.[0] ?? path);
    return { status: 200, text: async () => printJson({ author: 'Ada' }), async *lines() {} };
  };
  return { send, requested };
}

test('rows that a scroll passes request nothing, and those it ends at do', async () => {
  const { send, requested } = server();
  const clock = virtualClock();
  const revisions = new Revisions(send, clock);
  const passed = Array.from({ length: 300 }, (_, at) => {
    const gone = new AbortController();
    const request = revisions.requestOnceSettled(refOf(at), gone.signal);
    return { gone, end: expect(request).rejects.toBeDefined() };
  });
  const stays = revisions.requestOnceSettled(refOf(300), new AbortController().signal);
  await clock.advance(100);
  for (const { gone } of passed) gone.abort();
  await clock.advance(200);
  expect(await stays).toEqual({ author: 'Ada' });
  await Promise.all(passed.map(({ end }) => end));
  expect(requested).toEqual(['app-300']);
  expect(revisions.known(refOf(300))).toEqual({ author: 'Ada' });
});

test('the rows of one commit request it once', async () => {
  const { send, requested } = server();
  const clock = virtualClock();
  const revisions = new Revisions(send, clock);
  const rows = [1, 1, 1].map((at) => revisions.requestOnceSettled(refOf(at), new AbortController().signal));
  await clock.advance(1000);
  await Promise.all(rows);
  expect(requested).toEqual(['app-1']);
});

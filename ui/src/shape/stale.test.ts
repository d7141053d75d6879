import { expect, test } from 'vitest';
import { staleWords } from './stale.ts';

const since = Date.parse('2026-03-18T14:01:00Z');

test('stale data says since when it is so, why, and what happens about it', () => {
  const loss = { since, error: 'the server does not answer' };
  expect(staleWords(loss, since + 125_000, 'UTC')).toBe(
    'This page shows the state of 14:01, 2 min 5 s ago. The connection to the server is lost: the server does not answer. ' +
      'It is tried again by itself.',
  );
  expect(staleWords({ since }, since + 5000, 'UTC')).toContain('is lost. It is tried');
});

test('a stream that is opened again at once is no news', () => {
  expect(staleWords({ since }, since + 1000, 'UTC')).toBe('');
});

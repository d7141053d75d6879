import { expect, test } from 'vitest';
import { messageOf } from './failing-sync.ts';
import { sampleOperation } from './sample-application.ts';

test('the message of an operation has the time of the next attempt in the zone of its reader', () => {
  const now = Date.parse('2026-03-01T22:00:00Z');
  const shown = (message: string) => messageOf(sampleOperation({ message }), now, 'Asia/Tokyo');
  expect(shown('Job shop/a failed; attempt 3 begins at 2026-03-01T22:05:00Z')).toBe(
    'Job shop/a failed; attempt 3 begins at 07:05',
  );
  for (const other of ['', 'Job a began at 2026-03-01T22:05:00Z', 'failed; attempt 3 begins at noon'])
    expect(shown(other)).toBe(other);
});

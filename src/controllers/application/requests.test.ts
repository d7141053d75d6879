import { expect, test } from 'vitest';
import { Requests } from './requests.ts';

test('R-5: of two requests the deeper one is kept, with the later time', () => {
  const requests = new Requests();
  requests.note('a/b', { level: 'resolved', at: 5 });
  requests.note('a/b', { level: 'tree', at: 9 });
  expect(requests.take('a/b')).toEqual({ level: 'resolved', at: 9, isPush: false });
  expect(requests.take('a/b')).toBeUndefined();
});

test('a look is a matter of pushes only while nothing else asks for it', () => {
  const requests = new Requests();
  requests.note('a/b', { level: 'resolved', at: 1, isPush: true });
  requests.note('a/b', { level: 'resolved', at: 2, isPush: true });
  expect(requests.take('a/b')?.isPush).toBe(true);
  requests.note('a/b', { level: 'recorded', at: 3 });
  requests.note('a/b', { level: 'resolved', at: 4, isPush: true });
  expect(requests.take('a/b')).toEqual({ level: 'resolved', at: 4, isPush: false });
});

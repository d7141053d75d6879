import { expect, test } from 'vitest';
import { FailureNews } from './failure-news.ts';

test('a failure is news when it begins, when its text changes, once an hour, and after a success', () => {
  const news = new FailureNews<string>();
  const at = (minute: number): Date => new Date(minute * 60_000);
  const attempts = [
    news.isNews('a', 'refused', at(0)),
    news.isNews('a', 'refused', at(1)),
    news.isNews('b', 'refused', at(1)),
    news.isNews('a', 'timeout', at(2)),
    news.isNews('a', 'timeout', at(61)),
    news.isNews('a', 'timeout', at(62)),
    news.isNews('a', 'timeout', at(63)),
  ];
  expect(attempts).toEqual([true, false, true, true, false, true, false]);
  expect([news.ended('a'), news.ended('a')]).toEqual([true, false]);
  expect(news.isNews('a', 'timeout', at(64))).toBe(true);
});

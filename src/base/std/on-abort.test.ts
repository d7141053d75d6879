import { expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

test('everybody who listens is called, once, in order', () => {
  const stop = new AbortController();
  const heard: number[] = [];
  for (const at of [1, 2, 3]) onAbort(stop.signal, () => heard.push(at));
  stop.abort();
  stop.abort();
  expect(heard).toEqual([1, 2, 3]);
});

test('who comes too late is called at once', () => {
  const heard: string[] = [];
  onAbort(AbortSignal.abort(), () => heard.push('late'));
  expect(heard).toEqual(['late']);
});

test('who has stopped listening is not called, and the others are', () => {
  const stop = new AbortController();
  const heard: string[] = [];
  const listener = () => heard.push('same');
  const forget = onAbort(stop.signal, listener);
  onAbort(stop.signal, listener);
  forget();
  forget();
  stop.abort();
  expect(heard).toEqual(['same']);
});

test('one may stop listening while all are called, and listen again after all have left', () => {
  const stop = new AbortController();
  const heard: string[] = [];
  onAbort(stop.signal, () => heard.push('gone'))();
  onAbort(stop.signal, () => forget());
  const forget = onAbort(stop.signal, () => heard.push('never'));
  onAbort(stop.signal, () => heard.push('last'));
  stop.abort();
  expect(heard).toEqual(['last']);
});

test('a thousand listeners are no leak to be warned of', async () => {
  const warnings: unknown[] = [];
  const warn = (warning: unknown) => warnings.push(warning);
  process.on('warning', warn);
  const { signal } = new AbortController();
  for (let count = 0; count < 1000; count++) onAbort(signal, () => {});
  await new Promise((resolve) => process.nextTick(resolve));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

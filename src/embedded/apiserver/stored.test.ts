import { expect, test } from 'vitest';
import { parseJson } from '#base/std';
import { Stored, storedJson } from './stored.ts';

const item = (data: object) =>
  ({
    apiVersion: 'v1',
    kind: 'A',
    metadata: { namespace: 'n', name: 'a', resourceVersion: '7' },
    ...data,
  }) as const;

test('the store, the answer and all who watch share one text while an object is news', () => {
  const stored = new Stored('n/a', item({}), 7);
  let made = 0;
  const print = () => `text ${++made}`;
  expect([stored.form('tail', print), stored.form('tail', print)]).toEqual(['text 1', 'text 1']);
  expect(stored.form('partial', print)).toBe('text 2');
  expect([stored.form('partial', print), stored.form('tail', print)]).toEqual(['text 2', 'text 1']);
});

test('an object that is old keeps no text', () => {
  const stored = new Stored('n/a', item({}), 7);
  let made = 0;
  const print = () => `text ${++made}`;
  stored.form('tail', print);
  stored.becomeOld();
  expect([stored.form('tail', print), stored.form('tail', print)]).toEqual(['text 2', 'text 3']);
});

test('what is kept is the whole object as JSON, integers of any size included', () => {
  const whole = item({ data: { text: 'ü "quoted"', big: 12345678901234567890n } });
  const raw = storedJson.encode(new Stored('n/a', whole, 7));
  expect(parseJson(new TextDecoder().decode(raw))).toEqual(whole);
  expect(storedJson.decode(raw)).toMatchObject({ key: 'n/a', rv: 7, item: whole });
});

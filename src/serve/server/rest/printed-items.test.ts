import { expect, test } from 'vitest';
import { PrintedItems } from './printed-items.ts';

function counted(maxLength: number) {
  const texts = new PrintedItems<string>(maxLength);
  const printed: unknown[] = [];
  const textOf = (item: unknown): string =>
    texts.printed(item, (one) => {
      printed.push(one);
      return JSON.stringify(one);
    });
  return { textOf, printed };
}

test('an item that is listed again is not printed again', () => {
  const { textOf, printed } = counted(100);
  const item = { a: 1 };
  expect([textOf(item), textOf(item)]).toEqual(['{"a":1}', '{"a":1}']);
  expect(printed).toHaveLength(1);
});

test('another object with the same content is another item', () => {
  const { textOf, printed } = counted(100);
  textOf({ a: 1 });
  textOf({ a: 1 });
  expect(printed).toHaveLength(2);
});

test('what is used stays, what is not used makes room', () => {
  const { textOf, printed } = counted(20); // two items of seven characters
  const [used, unused, ...others] = Array.from({ length: 8 }, (_, a) => ({ a }));
  textOf(used);
  textOf(unused);
  for (const other of others) {
    textOf(other);
    textOf(used);
  }
  expect(printed).toHaveLength(8);
  textOf(unused);
  expect(printed).toHaveLength(9);
});

test.each([1, 'text', null, true])('%j, which is no object, is printed', (value) => {
  const { textOf } = counted(100);
  expect(textOf(value)).toBe(JSON.stringify(value));
});

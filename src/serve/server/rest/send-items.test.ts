import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SentItems, sendItems } from './send-items.ts';

let list: SentItems = { items: [] };
let url = '';
const server = createServer((request, response) => {
  sendItems({ request, response }, list).catch(() => response.destroy());
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, name) => ({ name, text: `<ü${name}>`.repeat(20) }));

async function fetched(accepted: string, sent: SentItems) {
  list = sent;
  const response = await fetch(url, { headers: { 'accept-encoding': accepted } });
  const text = await response.text();
  const [encoding, vary] = ['content-encoding', 'vary'].map((name) => response.headers.get(name));
  return { text, encoding, vary, value: JSON.parse(text) as unknown };
}

test('a list is the same however it is sent, the first time and again', async () => {
  const items = itemsOf(100);
  const metadata = { resourceVersion: '7' };
  const plain = await fetched('identity', { metadata, items });
  expect(plain).toMatchObject({ value: { metadata, items }, encoding: null });
  for (const accepted of ['gzip', 'gzip', 'gzip, br', 'br']) {
    const sent = await fetched(accepted, { metadata, items, areLasting: true });
    const encoding = accepted === 'br' ? 'br' : 'gzip';
    expect(sent).toEqual({ ...plain, encoding, vary: 'accept-encoding' });
  }
  const fewer = items.filter(({ name }) => name % 7 !== 0);
  expect((await fetched('gzip', { items: fewer, areLasting: true })).value).toEqual({ items: fewer });
});

test.each([
  ['no item', 0, null],
  ['one small item', 1, null],
  ['one large run', 10, 'gzip'],
])('a list of %s', async (_what, count, encoding) => {
  const items = itemsOf(count);
  const sent = await fetched('gzip', { items, areLasting: true });
  expect([sent.value, sent.encoding]).toEqual([{ items }, encoding]);
});

test('a list that breaks half way is not taken for a whole one', async () => {
  function* broken() {
    yield* itemsOf(60);
    throw new Error('no more');
  }
  await expect(fetched('gzip', { items: broken(), areLasting: true })).rejects.toThrow();
});

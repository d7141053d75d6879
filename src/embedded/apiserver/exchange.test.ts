import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { configMap, talk } from '../../../test/talk.ts';
import { type Exchange, send } from './exchange.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** A connection whose client never reads: what is written stays in its buffer. */
function unread(): Exchange & { readonly outgoing: PassThrough } {
  const incoming = new PassThrough();
  const connection = incoming as unknown as Exchange['connection'];
  const socket = () => connection as ReturnType<Exchange['socket']>;
  const about = { method: 'GET', path: '', headers: {} };
  return { ...about, incoming, outgoing: new PassThrough(), connection, socket, head: () => {} };
}

test('a watch whose client does not read is dropped once its events are, and holds one piece meanwhile (contract 3.3)', async () => {
  const { cluster, post, patch } = await talk({ history: { bytes: 1024 * 1024 } });
  await post(configMaps, configMap('large'));
  const exchange = unread();
  const over = new AbortController();
  const path = `${configMaps}?watch=true`;
  const sent = send(
    exchange,
    await cluster.handle({ method: 'GET', path, headers: {}, signal: over.signal }),
  );
  const ended = once(exchange.outgoing, 'close');
  let most = 0;
  for (let i = 0; i < 30; i++) {
    const data = { text: String(i).padEnd(100_000, 'x') };
    await patch(`${configMaps}/large`, 'merge-patch+json', { data });
    most = Math.max(most, exchange.outgoing.writableLength + exchange.outgoing.readableLength);
  }
  await ended;
  await sent;
  expect(exchange.outgoing.destroyed).toBe(true);
  expect(most).toBeLessThan(500_000);
});

test('the state of a large cluster is sent to a new watch in pieces', async () => {
  const { cluster, post } = await talk();
  for (let i = 0; i < 10; i++) await post(configMaps, configMap(`c${i}`, { text: 'x'.repeat(100_000) }));
  const over = new AbortController();
  const path = `${configMaps}?watch=true`;
  const { body } = await cluster.handle({ method: 'GET', path, headers: {}, signal: over.signal });
  const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  let seen = 0;
  while (seen < 10) {
    const { value } = await pieces.next();
    expect(value.length).toBeLessThan(400_000);
    seen += value.split('"type":"ADDED"').length - 1;
  }
  over.abort();
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { messages } from './messages.ts';

type Golden = readonly [name: string, json: unknown, base64: string];

const url = new URL('testdata/argocd-3.5.6.json', import.meta.url);
const golden = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

test('compat server §3.3: every message of the API is written as Go writes it, byte for byte', () => {
  const written = golden.flatMap(([name, json]) =>
    json === null ? [] : [[name, encodeMessage(messages.find(name), json).toString('base64')]],
  );
  expect(written).toEqual(golden.flatMap(([name, json, base64]) => (json === null ? [] : [[name, base64]])));
});

test('what Go wrote is read and written again without a difference', () => {
  const again = golden.map(([name, , base64]) => {
    const type = messages.find(name);
    return [name, encodeMessage(type, decodeMessage(type, Buffer.from(base64, 'base64'))).toString('base64')];
  });
  expect(again).toEqual(golden.map(([name, , base64]) => [name, base64]));
});

test('every message of the table has golden bytes', () => {
  const known = new Set(golden.map(([name]) => name));
  expect(messages.names.filter((name) => !known.has(name))).toEqual(['google.Empty']);
});

test('a message of any size is written, whatever the last part of it is', () => {
  const type = messages.find('v1alpha1.TLSClientConfig');
  for (const size of [1000, 1019, 1020, 1021, 5000, 3_000_000]) {
    const object = { caData: Buffer.alloc(size, 7).toString('base64') };
    expect(decodeMessage(type, encodeMessage(type, object))).toEqual(object);
  }
  const numbers = { sourcePositions: Array.from({ length: 300 }, (_, i) => -i - 1), name: 'x' };
  const query = messages.find('application.ApplicationManifestQuery');
  expect(decodeMessage(query, encodeMessage(query, numbers))).toEqual(numbers);
});

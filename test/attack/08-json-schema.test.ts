import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManifests, type Manifests } from '#sources/manifests';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 8: a chart's values.schema.json that refers to itself, to the machine or to the network, or never ends.

let the: ManifestsFixture;
let bounded: Manifests;
let server: Server;
let asked = 0;
beforeAll(async () => {
  the = await manifestsFixture();
  const limits = { ms: 5_000, memoryMb: 512, outputBytes: 1_000_000 };
  const { sources, tools } = the;
  bounded = createManifests({ cacheDir: join(the.folder, 'bounded'), sources, tools, limits });
  server = createServer((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await the.close();
  await new Promise((resolve) => server.close(resolve));
});

async function rendering(schema: string, values = 'a: 1\n'): Promise<string> {
  await the.repo.commit({
    chart: undefined,
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/own.yaml': configMap('own'),
    'chart/values.yaml': values,
    'chart/values.schema.json': schema,
  });
  return bounded.generate(the.ctx, the.request({ path: 'chart' })).then(
    () => 'rendered',
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );
}

const ended = /^(rendered$|RenderFailed: |LimitExceeded: )/;

test('a schema that refers to itself ends', async () => {
  expect(await rendering('{"$ref": "#"}')).toMatch(ended);
  const circle = {
    $ref: '#/definitions/a',
    definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
  };
  expect(await rendering(JSON.stringify(circle))).toMatch(ended);
  const branching = { anyOf: Array.from({ length: 10 }, () => ({ $ref: '#' })) };
  expect(await rendering(JSON.stringify(branching))).toMatch(ended);
});

test('a schema of very many words or great depth ends', async () => {
  const words = Array.from({ length: 200_000 }, (_, at) => `word-${at}`);
  expect(await rendering(JSON.stringify({ properties: { a: { enum: words } } }))).toMatch(ended);
  const deep = `${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`;
  expect(await rendering(deep)).toMatch(ended);
});

test('a pattern that would go back and forth for ever does not', async () => {
  const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  expect(await rendering(JSON.stringify(schema), `a: "${'a'.repeat(5_000)}!"\n`)).toMatch(ended);
});

test('a schema does not read files of the machine', async () => {
  for (const place of ['file:///etc/passwd', 'file:///proc/self/environ', '../../../../../../etc/passwd']) {
    const outcome = await rendering(JSON.stringify({ $ref: place }));
    expect(outcome).toMatch(/^RenderFailed: /);
    expect(outcome).not.toMatch(/root:|PATH=/);
  }
});

test('a schema does not reach the network (DEV-20)', async () => {
  const { port } = server.address() as AddressInfo;
  expect(await rendering(JSON.stringify({ $ref: `http://127.0.0.1:${port}/schema.json` }))).toMatch(
    /^RenderFailed: /,
  );
  expect(asked).toBe(0);
});

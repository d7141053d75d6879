import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveStatic } from './static.ts';

const root = mkdtempSync(join(tmpdir(), 'fairlead-static-'));
const folder = join(root, 'ui');
const server = createServer((request, response) => {
  serveStatic({ folder, basePath: '/x/', frameOptions: 'sameorigin' }, request, response).catch(() =>
    response.destroy(),
  );
});
let port = 0;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<html data-base="/"><script src="./a.js"></script>the page');
  writeFileSync(join(folder, 'assets/main-0123abcd.js'), 'the script');
  writeFileSync(join(root, 'admin-password'), 'secret');
  mkdirSync(join(root, 'ui-other'));
  writeFileSync(join(root, 'ui-other/file.txt'), 'secret');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

/** The request target exactly as written: clients of our own would tidy it first. */
function raw(target: string, accept = '*/*'): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\nconnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

const climbs = [
  '../admin-password',
  '%2e%2e/admin-password',
  '..%2fadmin-password',
  '..%5cadmin-password',
  '../ui-other/file.txt',
];

test.each(
  climbs.flatMap((path) => [
    `/${path}`,
    `/assets/../${path}`,
    `http://x/${path}`,
    `http://x/assets/../../${path}`,
  ]),
)('%s does not leave the folder', async (target) => {
  expect(await raw(target)).not.toContain('secret');
});

test('an address of the application is the page, for browsers and for curl', async () => {
  for (const target of ['/', '/applications/argocd/web?view=tree', 'http://x/applications']) {
    expect(await raw(target)).toMatch(/^HTTP\/1.1 200.*the page/s);
  }
  expect(await raw('/', 'text/html')).toContain('the page');
  expect(await raw('/')).toContain('<html data-base="/x/"><script src="/x/a.js">');
});

test('a file is itself and may be kept; one that is not there is not the page', async () => {
  expect(await raw('/assets/main-0123abcd.js')).toMatch(/immutable.*the script/s);
  expect(await raw('/assets/nope.js', 'text/html')).toMatch(/^HTTP\/1.1 404/);
  expect(await raw('/%')).toMatch(/^HTTP\/1.1 (200|404)/);
});

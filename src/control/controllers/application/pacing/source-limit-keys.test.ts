import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { sourceLimitKeys } from './source-limit-keys.ts';

const app = { metadata: { name: 'a' }, spec: { project: 'shop' } } as Application;

test.each([
  ['https://Git.Example.com/org/repo', 'git.example.com'],
  ['https://user:secret@git.example.com:8443/org/repo', 'git.example.com'],
  ['ssh://git@git.example.com:22/org/repo', 'git.example.com'],
  ['git@git.example.com:org/repo', 'git.example.com'],
  ['oci://registry.example.com/web', 'registry.example.com'],
  ['registry.example.com/charts', 'registry.example.com'],
  ['http://[::1]:80/repo', '[::1]'],
])('%s waits for its host', (url, host) => {
  expect(sourceLimitKeys([url], app)).toEqual([`repository ${url}`, `host ${host}`, 'project shop']);
});

test('a folder of this machine has no host, and what is needed twice is needed once', () => {
  const folders = ['/srv/git/shop', 'file:///srv/git/shop'];
  expect(sourceLimitKeys([...folders, ...folders], app)).toEqual([
    ...folders.map((url) => `repository ${url}`),
    'project shop',
  ]);
  expect(sourceLimitKeys([], app)).toEqual([]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Logger, realClock, silent } from '#base/std';
import type { Push } from '#engine';
import { WebhookReceiver } from './receive.ts';

let said: [string, unknown][] = [];
const log: Logger = { ...silent, warn: (text, fields) => void said.push([text, fields]) };
const ctx = { signal: new AbortController().signal, log, clock: realClock };
let secrets: Record<string, string> = {};
let pushes: Push[] = [];
const createWebhooks = () =>
  new WebhookReceiver({
    secret: (key) => secrets[key],
    requested: async () => {},
    maxBytes: () => 10_000,
    pushed: async (_ctx, push) => pushes.push(push) > 0,
  });
let webhooks = createWebhooks();
const server = createServer((request, response) => {
  webhooks.serve(ctx, { request, response }).catch(() => response.destroy());
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhook`;
});
afterAll(() => server.close());
beforeEach(() => {
  said = [];
  secrets = {};
  pushes = [];
  webhooks = createWebhooks();
});

async function deliver(headers: Record<string, string>, body: object): Promise<[number, string]> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, init);
  return [response.status, (await response.text()).trim()];
}

const unsigned: Record<string, { headers: Record<string, string>; body: (url: string) => object }> = {
  GitHub: {
    headers: { 'x-github-event': 'push' },
    body: (html_url) => ({ ref: 'refs/heads/main', repository: { html_url } }),
  },
  Gogs: {
    headers: { 'x-gogs-event': 'push' },
    body: (html_url) => ({ ref: 'refs/heads/main', repository: { html_url } }),
  },
  GitLab: {
    headers: { 'x-gitlab-event': 'Push Hook' },
    body: (web_url) => ({ ref: 'refs/heads/main', project: { web_url } }),
  },
  'Bitbucket Cloud': {
    headers: { 'x-hook-uuid': 'x', 'x-event-key': 'repo:push' },
    body: (href) => ({
      repository: { links: { html: { href } } },
      push: { changes: [{ new: { name: 'main' } }] },
    }),
  },
  'Bitbucket Server': {
    headers: { 'x-event-key': 'repo:refs_changed' },
    body: (href) => ({
      repository: { links: { clone: [{ href }] } },
      changes: [{ ref: { id: 'refs/heads/main' } }],
    }),
  },
  'Azure DevOps': {
    headers: { 'x-vss-activityid': '1' },
    body: (remoteUrl) => ({
      eventType: 'git.push',
      resource: { repository: { remoteUrl }, refUpdates: [{ name: 'refs/heads/main' }] },
    }),
  },
};
const gitHub = { 'webhook.github.secret': 's3cret' };

// every other provider's header, without a secret of its own
test.each(Object.keys(unsigned).filter((name) => name !== 'GitHub'))(
  'decision 32: with a secret for GitHub, an unsigned delivery as %s does not speak for its repositories',
  async (name) => {
    const { headers = {}, body = () => ({}) } = unsigned[name] ?? {};
    secrets = gitHub;
    for (const url of [
      'https://github.com/org/repo',
      'https://GitHub.com:443/org/repo',
      'https://user@github.com/org/repo',
      'git@github.com:org/repo.git',
      'ssh://git@ssh.github.com:443/org/repo.git',
      'https://corp.ghe.com/org/repo',
      'https://git.corp.example/org/repo', // may be GitHub's, on a host of its users
    ])
      expect([url, ...(await deliver(headers, body(url)))]).toEqual([url, 400, 'Webhook processing failed']);
    expect(pushes).toEqual([]);
    expect(said).toHaveLength(1); // at most once a minute
    expect(said[0]?.[0]).toBe('webhook delivery refused: unsigned, while a secret is set for its host');
  },
);

test('decision 32: a secret of one provider leaves the hosts of others as they were', async () => {
  secrets = gitHub;
  const accepted = async (name: string, url: string): Promise<number> => {
    const { headers = {}, body = () => ({}) } = unsigned[name] ?? {};
    return (await deliver(headers, body(url)))[0];
  };
  expect(await accepted('GitLab', 'https://gitlab.com/org/repo')).toBe(200);
  expect(await accepted('Bitbucket Cloud', 'https://bitbucket.org/org/repo')).toBe(200);
  expect(await accepted('Azure DevOps', 'https://dev.azure.com/org/p/_git/repo')).toBe(200);
  expect(await accepted('GitLab', 'https://git.corp.example/org/repo')).toBe(400);
  // Bitbucket Cloud is on no host of its users: its secret protects none of them
  secrets = { 'webhook.bitbucket.uuid': 'u' };
  expect(await accepted('GitLab', 'https://git.corp.example/org/repo')).toBe(200);
  expect(await accepted('GitLab', 'https://bitbucket.org/org/repo')).toBe(400);
});

test('decision 32: the secret of another provider does not speak for GitHub either', async () => {
  secrets = { ...gitHub, 'webhook.gitlab.secret': 'other' };
  const headers = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'other' };
  const push = (web_url: string) => ({ ref: 'refs/heads/main', project: { web_url } });
  expect((await deliver(headers, push('https://github.com/org/repo')))[0]).toBe(400);
  expect((await deliver(headers, push('https://git.corp.example/org/repo')))[0]).toBe(200);
});

test('an authentic delivery that is not understood is logged once, with provider and event', async () => {
  for (let i = 0; i < 3; i++) {
    await deliver({ 'x-github-event': 'issues' }, {});
    await deliver({ 'x-event-key': 'repo:refs_changed' }, { changes: [{ reference: { id: 'x' } }] });
    await deliver({ 'x-vss-activityid': '1' }, { eventType: 'build.complete' });
  }
  expect(said).toEqual([
    ['webhook delivery not understood: its event is not used', { provider: 'GitHub', event: 'issues' }],
    [
      'webhook delivery not understood: it names no repository with a branch or a tag',
      { provider: 'Bitbucket Server', event: 'repo:refs_changed' },
    ],
    [
      'webhook delivery not understood: its event is not used',
      { provider: 'Azure DevOps', event: 'build.complete' },
    ],
  ]);
});

test('invented events fill neither the log nor the memory', async () => {
  for (let i = 0; i < 150; i++) await deliver({ 'x-github-event': `invented-${i}` }, {});
  expect(said).toHaveLength(100);
});

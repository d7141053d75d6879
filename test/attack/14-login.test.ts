import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { hashSync, verifySync } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, AppProject } from '#base/model';
import { realClock, runAll, silent } from '#base/std';
import { Informer, SecretValues, SettingsWatch } from '#control/live';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { openAuth } from '#serve/server';
import { cpuNow } from '../cpu-time.ts';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';

// Attack 14: passwords are guessed in bursts, from many addresses and under many names; a flood of logins must neither let anybody
// in, nor keep others out, nor slow the control plane. Single sign-on is tried in 15-single-sign-on.test.ts.

let fairlead: Fairlead;
beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

type Answer = { readonly status: number; readonly message: string };

/** A login from an address of this machine: all of 127.0.0.0/8 is loopback. */
function login(username: string, password: string, localAddress: string): Promise<Answer> {
  const body = JSON.stringify({ username, password });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const options = {
    method: 'POST',
    host: '127.0.0.1',
    port: new URL(fairlead.url).port,
    localAddress,
    headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, path: '/api/v1/session' }, (answer: IncomingMessage) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => {
        const { message = '' } = JSON.parse(text) as { message?: string };
        resolve({ status: answer.statusCode ?? 0, message });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
const locked = expect.stringMatching(
  /^locked out until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ \(5 min\): too many failed logins for this account from this address; no password is checked until then$/,
);

test('of a burst of wrong passwords and the right one at its end, none gets in', async () => {
  const wrong = Array.from({ length: 9 }, (_, i) => login('admin', `guess-${i}`, '127.0.0.2'));
  const answers = await Promise.all([...wrong, login('admin', fairlead.password, '127.0.0.2')]);
  expect(answers.map(({ status }) => status)).not.toContain(200);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.at(-1)).toEqual({ status: 429, message: locked });
});

test('the lock is of one address: the user logs in from another', async () => {
  expect(await login('admin', fairlead.password, '127.0.0.2')).toEqual({ status: 429, message: locked });
  expect((await login('admin', fairlead.password, '127.0.0.3')).status).toBe(200);
});

test('an account and an invented name are answered alike, before and after the lock', async () => {
  const talk = async (name: string, address: string): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let i = 0; i < 6; i++) answers.push(await login(name, 'wrong-password', address));
    return answers;
  };
  const [known, invented] = await Promise.all([talk('admin', '127.0.0.4'), talk('mallory', '127.0.0.5')]);
  expect(invented).toEqual(known);
  expect(known.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
});

test('a flood from one address is refused without a hash, and another logs in meanwhile', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `user-${i}`);
  const flood = Promise.all(names.map((name) => login(name, 'wrong-password', '127.0.0.6')));
  expect((await login('admin', fairlead.password, '127.0.0.7')).status).toBe(200);
  const answers = await flood;
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]?.message).toBe('too many logins at once: try again in a moment');
});

test('headers that name another client are not believed', async () => {
  const guess = (i: number) =>
    fetch(`${fairlead.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${i}` },
      body: JSON.stringify({ username: 'eve', password: 'wrong-password' }),
    });
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push((await guess(i)).status);
  expect(answers).toEqual([401, 401, 401, 401, 401, 429]);
});

/** The API's own accounts and logins on a cluster of their own, as the program opens them. */
async function openHere() {
  const stop = new AbortController();
  // a failed login is answered without its delay, so that its hash is what takes time
  const clock = { ...realClock, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };
  const ctx = { signal: stop.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (sent) => cluster.handle(sent) });
  const namespace = 'default';
  const secret = new SecretValues({ kube, namespace });
  const settings = new SettingsWatch({ kube, namespace });
  const argo = { apiVersion: 'argoproj.io/v1alpha1', namespace };
  const apps = new Informer<Application>(kube, { ...argo, kind: 'Application' });
  const projects = new Informer<AppProject>(kube, { ...argo, kind: 'AppProject' });
  const limits = { maxConcurrent: 0 };
  const { logins, run } = await openAuth(ctx, { kube, namespace, secret, settings, projects, apps, limits });
  const running = runAll(ctx, [(inner) => secret.run(inner), (inner) => settings.run(inner), run]);
  await settings.whenSynced(ctx);
  const initial = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'argocd-initial-admin-secret' };
  const { data } = (await kube.get(ctx, initial)) as { data?: { password?: string } };
  const close = async () => {
    stop.abort();
    await running;
    await cluster.close();
  };
  return { ctx, logins, password: Buffer.from(data?.password ?? '', 'base64').toString(), close };
}

test('sixty logins leave files and DNS alone: both are answered before the first hash is computed', async () => {
  const { ctx, logins, close } = await openHere();
  let hashed = 0;
  const flood = Array.from({ length: 60 }, (_, i) =>
    logins.login(ctx, { username: 'admin', password: 'wrong-password', address: `a${i}` }).catch(() => {
      hashed += 1;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve)); // every login has begun
  await Promise.all([readFile(import.meta.filename), lookup('localhost')]);
  expect(hashed).toBe(0);
  await Promise.all(flood);
  expect(hashed).toBe(60);
  await close();
});

/** Milliseconds of processor time that a thread of this process needs to check sixty passwords. */
function timeOfSixtyChecks(): number {
  const hash = hashSync('right-password', { cost: 10 });
  const began = cpuNow();
  for (let i = 0; i < 6; i++) verifySync('wrong-password', hash);
  return (cpuNow() - began) * 10;
}

test('sixty logins cost this process no hash: no thread of it checks a password', async () => {
  const { ctx, logins, close } = await openHere();
  const logIn = (i: number) =>
    logins.login(ctx, { username: 'admin', password: 'wrong-password', address: `a${i}` }).catch(() => {});
  await logIn(60); // the workers run
  const sixty = timeOfSixtyChecks();
  const began = cpuNow();
  await Promise.all(Array.from({ length: 60 }, (_, i) => logIn(i)));
  expect(cpuNow() - began).toBeLessThan(sixty / 2);
  await close();
});

test('the first password of an installation is long and no other installation has it', async () => {
  const [one, two] = [await openHere(), await openHere()];
  expect(one.password).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(one.password).not.toBe(two.password);
  await Promise.all([one.close(), two.close()]);
});

import { readFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { forget, startFairlead } from '../test/e2e/fairlead.ts';
import type { Figure } from './harness.ts';

// A thousand readers of the stream of applications, connected from another process: what they cost the server, and how long
// after a change of an application the last of them has it.

const readers = 1_000;
const demoApplication = 'demo';

/** The memory of the process itself, without pages of files. */
async function megabytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
}

export async function figures(): Promise<Figure[]> {
  const fairlead = await startFairlead();
  const send = async (method: string, path: string, body: unknown, token = '') =>
    (
      await fetch(fairlead.url + path, {
        method,
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      })
    ).json();
  const login = { username: 'admin', password: fairlead.password };
  const { token } = (await send('POST', '/api/v1/session', login)) as { token: string };
  await fairlead.until(demoApplication, 'synced', ({ status }) => status?.sync?.status === 'Synced');
  const before = await megabytesOf(fairlead.pid);
  const agent = new Agent({ maxSockets: readers });
  const arrived = { mark: '', count: 0, done: () => {} };
  const onText = (text: string): void => {
    if (arrived.mark === '' || !text.includes(arrived.mark)) return;
    arrived.count += 1;
    if (arrived.count === readers) arrived.done();
  };
  const open = () => follow(`${fairlead.url}/api/v1/stream/applications`, { agent, token, onText });
  const streams = await Promise.all(Array.from({ length: readers }, open));
  const memory = (await megabytesOf(fairlead.pid)) - before;
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const all = new Promise<void>((resolve) =>
      Object.assign(arrived, { mark: `round-${round}`, count: 0, done: resolve }),
    );
    const began = performance.now();
    const patch = JSON.stringify({ metadata: { annotations: { round: `round-${round}` } } });
    const path = `/api/v1/applications/${demoApplication}`;
    await send('PATCH', path, { name: demoApplication, patch, patchType: 'merge' }, token);
    await all;
    times.push(performance.now() - began);
  }
  for (const stream of streams) stream.destroy();
  agent.destroy();
  await fairlead.stop();
  forget(fairlead);
  const typical = times.toSorted((a, b) => a - b)[2] ?? 0;
  return [
    { name: `memory of ${readers} streams`, value: memory, unit: 'MB', target: 300 },
    { name: `a change reaches all ${readers} of them`, value: typical, unit: 'ms', target: 200 },
  ];
}

type Reader = { readonly agent: Agent; readonly token: string; onText(text: string): void };

/** Resolves with the first message. */
function follow(url: string, { agent, token, onText }: Reader): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.setEncoding('utf8');
      response.on('error', () => {});
      response.on('data', (text: string) => {
        resolve(response);
        onText(text);
      });
    });
    request.on('error', reject);
  });
}

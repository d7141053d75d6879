import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { fileURLToPath } from 'node:url';
import type { Kept } from './server.ts';

type Write = {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: object;
};

/** A server in a process of its own, spoken to over loopback as Go's clients do: HTTP/2, TLS, one connection. */
export class Served {
  readonly #child: ChildProcess;
  readonly #session: ClientHttp2Session;

  private constructor(child: ChildProcess, session: ClientHttp2Session) {
    this.#child = child;
    this.#session = session;
  }

  static async start(kept: Kept): Promise<Served> {
    const child = fork(fileURLToPath(import.meta.resolve('./server.ts')), [kept]);
    const [{ url, kubeconfigPath }] = await once(child, 'message');
    const { clusters, users } = JSON.parse(readFileSync(kubeconfigPath, 'utf8'));
    const bytes = (base64: string) => Buffer.from(base64, 'base64');
    const session = connect(url, {
      ca: bytes(clusters[0].cluster['certificate-authority-data']),
      cert: bytes(users[0].user['client-certificate-data']),
      key: bytes(users[0].user['client-key-data']),
    });
    await once(session, 'connect');
    return new Served(child, session);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves with the status once the whole answer is here. */
  write({ method, path, type, body }: Write): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': type, accept: 'application/json', 'user-agent': 'bench/1' };
      const stream = this.#session.request({ ':method': method, ':path': path, ...headers });
      let status = 0;
      stream.on('response', (answer) => {
        status = answer[':status'] ?? 0;
      });
      stream.on('data', () => {});
      stream.on('end', () => resolve(status));
      stream.on('error', reject);
      stream.end(JSON.stringify(body));
    });
  }

  /** Resolves when the watch has begun; it lasts as long as the connection. */
  async watch(path: string): Promise<void> {
    const stream = this.#session.request({ ':path': path });
    stream.on('data', () => {});
    stream.on('error', () => {});
    await once(stream, 'response');
  }

  /** Makes so many pods, without the wire. */
  async fill(pods: number): Promise<void> {
    this.#child.send({ fill: pods });
    await once(this.#child, 'message');
  }

  async stop(): Promise<void> {
    this.#session.destroy();
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

export type Speed = { readonly perSecond: number; readonly p99Ms: number };

/** Runs `count` writes, `width` at a time. */
export async function rate(count: number, width: number, write: (index: number) => Promise<number>) {
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    while (next < count) {
      const at = performance.now();
      const index = next;
      next += 1;
      const status = await write(index);
      if (status !== 200 && status !== 201) throw new Error(`write ${index} was answered with ${status}`);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const speed: Speed = { perSecond: count / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
  return speed;
}

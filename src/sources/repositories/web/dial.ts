import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Ctx, FairleadError, onAbort } from '#base/std';
import { checkedAddresses, type Egress } from '../egress.ts';
import { machineTrust } from './machine.ts';
import { bracketed, type ProxyAddress } from './proxy.ts';
import type { Trust } from './trust.ts';

/** The dependencies of a connection through a proxy. */
export type Around = { readonly egress: Egress; readonly trust: Trust };

type Place = { readonly host: string; readonly port: number };

const longestAnswer = 16 * 1024;

/**
 * Connects to a target through a proxy. The proxy's own address is checked like any other. Throws Unavailable when the
 * proxy is unreachable or refuses, Auth when it rejects the login.
 */
export async function dialThrough(
  ctx: Ctx,
  proxy: ProxyAddress,
  to: Place,
  { egress, trust }: Around,
): Promise<Socket> {
  const [address = proxy.host] = await checkedAddresses(ctx, proxy, egress);
  const plain = await connected(ctx, connect({ host: address, port: proxy.port }));
  try {
    const socket = proxy.kind === 'https' ? await secured(ctx, plain, proxy.host, trust) : plain;
    const answers = new Answers(ctx, socket);
    if (proxy.kind === 'socks5') await greetSocks(socket, answers, proxy, to);
    else await askConnect(socket, answers, proxy, to);
    answers.done();
    return socket;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

/** Waits until a socket is connected. */
async function connected(ctx: Ctx, socket: Socket, event = 'connect'): Promise<Socket> {
  let forget = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(event, () => resolve());
      socket.once('error', reject);
      forget = onAbort(ctx.signal, () => {
        socket.destroy(new FairleadError('Unavailable', 'the connection was given up'));
      });
    });
    return socket;
  } catch (error) {
    throw new FairleadError('Unavailable', `no connection: ${reasonOf(error)}`, error);
  } finally {
    forget();
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

async function secured(ctx: Ctx, socket: Socket, host: string, trust: Trust): Promise<Socket> {
  const servername = isIP(host) ? '' : host;
  const { context: secureContext } = await machineTrust(trust.machine);
  return connected(ctx, connectTls({ socket, host, servername, secureContext }), 'secureConnect');
}

async function askConnect(socket: Socket, answers: Answers, proxy: ProxyAddress, to: Place): Promise<void> {
  const place = `${bracketed(to.host)}:${to.port}`;
  const login = proxy.login
    ? `Proxy-Authorization: Basic ${Buffer.from(`${proxy.login.username}:${proxy.login.password}`).toString('base64')}\r\n`
    : '';
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${login}\r\n`);
  const head = (await answers.until('\r\n\r\n')).toString('latin1');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === '407')
    throw new FairleadError('Auth', `proxy ${proxy.host} refused our login: correct it in proxy`);
  if (status === undefined || !status.startsWith('2')) {
    throw new FairleadError(
      'Unavailable',
      `proxy ${proxy.host} did not connect us to ${place}: ${status ?? 'no answer'}`,
    );
  }
}

/**
 * RFC 1928 and, for the login, RFC 1929. The proxy receives the name, not the address, unless we have only the address.
 */
async function greetSocks(socket: Socket, answers: Answers, proxy: ProxyAddress, to: Place): Promise<void> {
  socket.write(proxy.login ? Uint8Array.of(5, 2, 0, 2) : Uint8Array.of(5, 1, 0));
  const [version, method] = await answers.take(2);
  if (version !== 5 || (method !== 0 && method !== 2)) throw socksRefusal(proxy);
  if (method === 2) await logIn(socket, answers, proxy);
  const port = Uint8Array.of(to.port >> 8, to.port & 0xff);
  socket.write(Buffer.concat([Uint8Array.of(5, 1, 0), socksAddress(to.host), port]));
  const [, reply, , kind] = await answers.take(4);
  if (reply !== 0) {
    throw new FairleadError(
      'Unavailable',
      `proxy ${proxy.host} did not connect us to ${to.host}: reply ${reply}`,
    );
  }
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await answers.take(1))[0] ?? 0);
  await answers.take(length + 2);
}

async function logIn(socket: Socket, answers: Answers, proxy: ProxyAddress): Promise<void> {
  const { username = '', password = '' } = proxy.login ?? {};
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255) throw socksRefusal(proxy);
  socket.write(Buffer.concat([Uint8Array.of(1, user.length), user, Uint8Array.of(secret.length), secret]));
  const [, status] = await answers.take(2);
  if (status !== 0) throw socksRefusal(proxy);
}

const socksRefusal = (proxy: ProxyAddress): FairleadError =>
  new FairleadError('Auth', `proxy ${proxy.host} refused our login: correct it in proxy`);

function socksAddress(host: string): Uint8Array {
  if (isIP(host) === 4) return Uint8Array.of(1, ...host.split('.').map(Number));
  const name = Buffer.from(host);
  return Buffer.concat([Uint8Array.of(3, name.length), name]);
}

/** The responses of a proxy before the tunnel is established; any bytes after them are left in the socket. */
class Answers {
  readonly #socket: Socket;
  readonly #ctx: Ctx;
  #held = Buffer.alloc(0);

  constructor(ctx: Ctx, socket: Socket) {
    this.#ctx = ctx;
    this.#socket = socket;
    socket.pause();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) await this.#more();
    return this.#cut(count);
  }

  async until(mark: string): Promise<Buffer> {
    for (;;) {
      const end = this.#held.indexOf(mark);
      if (end >= 0) return this.#cut(end + mark.length);
      if (this.#held.length > longestAnswer) throw gone();
      await this.#more();
    }
  }

  done(): void {
    if (this.#held.length > 0) this.#socket.unshift(this.#held);
  }

  #cut(count: number): Buffer {
    const piece = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return piece;
  }

  async #more(): Promise<void> {
    const chunk = (this.#socket.read() as Buffer | null) ?? (await this.#next());
    if (chunk) this.#held = Buffer.concat([this.#held, chunk]);
  }

  async #next(): Promise<Buffer | null> {
    let forget = (): void => {};
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown): void => {
        for (const event of ['end', 'error', 'close'] as const) this.#socket.off(event, onGone);
        this.#socket.off('readable', onReadable);
        forget();
        if (error) reject(error);
        else resolve();
      };
      const onReadable = (): void => settle();
      const onGone = (): void => settle(gone());
      this.#socket.once('readable', onReadable);
      for (const event of ['end', 'error', 'close'] as const) this.#socket.once(event, onGone);
      forget = onAbort(this.#ctx.signal, onGone);
    });
    return this.#socket.read() as Buffer | null;
  }
}

const gone = (): FairleadError =>
  new FairleadError('Unavailable', 'the proxy ended the connection before it stood');

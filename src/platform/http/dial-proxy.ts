import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { FairleadError, onAbort } from '#base/std';
import { bracketed, type ProxyAddress } from './proxy-address.ts';

type HostAndPort = { readonly host: string; readonly port: number };

/** How a proxy is reached. */
export type ProxyRoute = {
  readonly proxy: ProxyAddress;
  /** The address of the proxy to connect to; its host where the caller has not resolved it. */
  readonly address: string;
  /** For a proxy that itself requires TLS; left out: the authorities of Node. */
  readonly secureContext?: SecureContext;
  /** The setting with the login, for the error. */
  readonly setting: string;
};

const longestAnswer = 16 * 1024;

/**
 * A connection to a target through an HTTP (CONNECT) or SOCKS5 proxy. Throws Unavailable when the proxy is unreachable or
 * refuses, Auth when it rejects the login. No error contains the login.
 */
export async function dialProxy(signal: AbortSignal, route: ProxyRoute, to: HostAndPort): Promise<Socket> {
  const { proxy, address } = route;
  const plain = await reached(signal, connect({ host: address, port: proxy.port }), 'connect');
  try {
    const socket = proxy.kind === 'https' ? await secured(signal, plain, route) : plain;
    const answers = new Answers(signal, socket);
    if (proxy.kind === 'socks5') await greetSocks(socket, answers, route, to);
    else await requestTunnel(socket, answers, route, to);
    answers.done();
    return socket;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}

/** Waits for the event that says that a socket is connected; destroys it when it fails or the signal aborts. */
export async function connected<S extends Socket>(signal: AbortSignal, socket: S, event: string): Promise<S> {
  let stopListening = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(event, () => resolve());
      socket.once('error', reject);
      stopListening = onAbort(signal, () => reject(signal.reason));
    });
    return socket;
  } catch (error) {
    socket.on('error', () => {}); // the caller has the first error; a later one must not crash the process
    socket.destroy();
    throw error;
  } finally {
    stopListening();
  }
}

async function reached<S extends Socket>(signal: AbortSignal, socket: S, event: string): Promise<S> {
  try {
    return await connected(signal, socket, event);
  } catch (error) {
    const reason = signal.aborted ? 'the connection was given up' : reasonOf(error);
    throw new FairleadError('Unavailable', `no connection: ${reason}`, error);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

function secured(signal: AbortSignal, socket: Socket, route: ProxyRoute): Promise<Socket> {
  const { host } = route.proxy;
  const secureContext = route.secureContext && { secureContext: route.secureContext };
  const tls = connectTls({ socket, host, servername: isIP(host) ? '' : host, ...secureContext });
  return reached(signal, tls, 'secureConnect');
}

async function requestTunnel(
  socket: Socket,
  answers: Answers,
  route: ProxyRoute,
  to: HostAndPort,
): Promise<void> {
  const { proxy } = route;
  const target = `${bracketed(to.host)}:${to.port}`;
  const login = proxy.login
    ? `Proxy-Authorization: Basic ${Buffer.from(`${proxy.login.username}:${proxy.login.password}`).toString('base64')}\r\n`
    : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${login}\r\n`);
  const head = (await answers.until('\r\n\r\n')).toString('latin1');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === '407') throw loginRefused(route);
  if (status === undefined || !status.startsWith('2')) {
    throw new FairleadError(
      'Unavailable',
      `proxy ${proxy.host} did not connect us to ${target}: ${status ?? 'no answer'}`,
    );
  }
}

/**
 * RFC 1928 and, for the login, RFC 1929. The proxy receives the name, not the address, unless we have only the address.
 */
async function greetSocks(
  socket: Socket,
  answers: Answers,
  route: ProxyRoute,
  to: HostAndPort,
): Promise<void> {
  const { proxy } = route;
  socket.write(proxy.login ? Uint8Array.of(5, 2, 0, 2) : Uint8Array.of(5, 1, 0));
  const [version, method] = await answers.take(2);
  if (version !== 5 || (method !== 0 && method !== 2)) throw loginRefused(route);
  if (method === 2) await logIn(socket, answers, route);
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

async function logIn(socket: Socket, answers: Answers, route: ProxyRoute): Promise<void> {
  const { username = '', password = '' } = route.proxy.login ?? {};
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  if (user.length > 255 || secret.length > 255) throw loginRefused(route);
  socket.write(Buffer.concat([Uint8Array.of(1, user.length), user, Uint8Array.of(secret.length), secret]));
  const [, status] = await answers.take(2);
  if (status !== 0) throw loginRefused(route);
}

const loginRefused = ({ proxy, setting }: ProxyRoute): FairleadError =>
  new FairleadError('Auth', `proxy ${proxy.host} refused our login: correct it in ${setting}`);

function socksAddress(host: string): Uint8Array {
  if (isIP(host) === 4) return Uint8Array.of(1, ...host.split('.').map(Number));
  const name = Buffer.from(host);
  return Buffer.concat([Uint8Array.of(3, name.length), name]);
}

/** The responses of a proxy before the tunnel is established; any bytes after them are left in the socket. */
class Answers {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;
  #held = Buffer.alloc(0);

  constructor(signal: AbortSignal, socket: Socket) {
    this.#signal = signal;
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
    let stopListening = (): void => {};
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: unknown): void => {
        for (const event of ['end', 'error', 'close'] as const) this.#socket.off(event, onGone);
        this.#socket.off('readable', onReadable);
        stopListening();
        if (error) reject(error);
        else resolve();
      };
      const onReadable = (): void => settle();
      const onGone = (): void => settle(gone());
      this.#socket.once('readable', onReadable);
      for (const event of ['end', 'error', 'close'] as const) this.#socket.once(event, onGone);
      stopListening = onAbort(this.#signal, onGone);
    });
    return this.#socket.read() as Buffer | null;
  }
}

const gone = (): FairleadError =>
  new FairleadError('Unavailable', 'the proxy ended the connection before it stood');

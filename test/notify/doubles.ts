import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A request as a service received it. */
export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

export type Reply = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** A service on loopback that records what it receives and replies as told. */
export class WebDouble {
  readonly received: Received[] = [];
  /** What the next requests get; a promise that never settles is a service that hangs. */
  reply: (request: Received) => Reply | Promise<Reply> = () => ({
    body: JSON.stringify({ ok: true, channel: 'C1', ts: '1.1' }),
  });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(tls?: { readonly key: string; readonly cert: string }): Promise<WebDouble> {
    const server = tls ? createTlsServer(tls) : createServer();
    const double = new WebDouble(server);
    server.on('request', async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      double.received.push(seen);
      const { status = 200, headers = {}, body: answer = '' } = await double.reply(seen);
      response.writeHead(status, headers).end(answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return double;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The bodies as JSON. */
  get bodies(): Record<string, unknown>[] {
    return this.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

type Mail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly user: string;
};

type MailOptions = {
  readonly users?: Readonly<Record<string, string>>;
  readonly tls?: { key: string; cert: string };
};

/** A real SMTP server on loopback that keeps what it gets. */
export class MailDouble {
  readonly received: Mail[] = [];
  /** An answer such as `{ responseCode: 451 }` for the next mails. */
  refusal: (Error & { responseCode?: number }) | undefined;
  readonly #server: SMTPServer;

  constructor({ users, tls }: MailOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: users === undefined,
      allowInsecureAuth: true,
      disabledCommands: tls ? [] : ['STARTTLS'],
      ...tls,
      onAuth: ({ username = '', password = '' }, _session, done) =>
        users?.[username] === password ? done(null, { user: username }) : done(new Error('wrong login')),
      onData: (stream, session, done) => {
        let text = '';
        stream.on('data', (chunk) => {
          text += chunk;
        });
        stream.on('end', () => {
          if (this.refusal) return done(this.refusal);
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : (mailFrom?.address ?? '');
          this.received.push({
            from,
            to: rcptTo.map(({ address }) => address),
            text,
            user: String(session.user ?? ''),
          });
          return done();
        });
      },
    });
    this.#server.on('error', () => {});
  }

  async open(): Promise<this> {
    const server = this.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

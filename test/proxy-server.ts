import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type ProxyServer = {
  readonly port: number;
  /** One line for each connection asked for: the kind, the place, and the login. */
  readonly asked: string[];
  close(): Promise<void>;
};

/** Ports of this machine by `host:port`: where a proxy leads instead. */
type Routes = Readonly<Record<string, number>>;

/** A proxy that speaks SOCKS5 and HTTP CONNECT. Names ending in `.test` are this machine. */
export async function proxyServer(routes: Routes = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (first) => {
      if (first[0] === 5) socks(client, first, asked, sockets);
      else http(client, rerouted(first.toString('latin1'), routes), asked, sockets);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The request, with the address of a route in it. */
const rerouted = (head: string, routes: Routes): string =>
  head.replace(/^CONNECT ([^:]+:\d+) /, (whole, target: string) =>
    routes[target] === undefined ? whole : `CONNECT 127.0.0.1:${routes[target]} `,
  );

function join(client: Socket, host: string, port: number, ready: (far: Socket) => void): Socket {
  const far = connect(port, host.endsWith('.test') ? '127.0.0.1' : host, () => ready(far));
  far.on('error', () => client.destroy());
  far.pipe(client);
  client.pipe(far);
  return far;
}

function http(client: Socket, head: string, asked: string[], sockets: Set<Socket>): void {
  const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(head) ?? [];
  const login = /^Proxy-Authorization: Basic (\S+)/im.exec(head)?.[1] ?? '';
  asked.push(`http ${host} ${Buffer.from(login, 'base64')}`);
  sockets.add(join(client, host, Number(port), () => client.write('HTTP/1.1 200 ok\r\n\r\n')));
}

function socks(client: Socket, greeting: Buffer, asked: string[], sockets: Set<Socket>): void {
  const wantsLogin = greeting.subarray(2).includes(2);
  let login = '';
  const onRequest = (request: Buffer): void => {
    const isName = request[3] === 3;
    const length = request[4] ?? 0;
    const host = isName ? request.subarray(5, 5 + length).toString() : [...request.subarray(4, 8)].join('.');
    const port = request.readUInt16BE(isName ? 5 + length : 8);
    asked.push(`socks5 ${host} ${login}`);
    const answer = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    sockets.add(join(client, host, port, () => client.write(answer)));
  };
  if (!wantsLogin) {
    client.once('data', onRequest);
    client.write(Uint8Array.of(5, 0));
    return;
  }
  client.once('data', (given: Buffer) => {
    const user = given.subarray(2, 2 + (given[1] ?? 0));
    login = `${user}:${given.subarray(3 + user.length)}`;
    client.once('data', onRequest);
    client.write(Uint8Array.of(1, 0));
  });
  client.write(Uint8Array.of(5, 2));
}

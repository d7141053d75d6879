import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HangingGitHosts = {
  /** The address of each host: `http://127.1.0.1:PORT` and so on. */
  readonly urls: readonly string[];
  close(): Promise<void>;
};

/**
 * Git hosts that stop answering, each at an address of the loopback network of its own. They list one branch of every repository, by
 * the old protocol in one answer, and leave every fetch without an answer. Below `/refs/` they leave the list without an answer too.
 */
export async function hangingGitHosts(count: number, head: string): Promise<HangingGitHosts> {
  const refs = refsWith(head);
  const listen = (at: number): Promise<Server> => {
    const server = createServer((request, response) => {
      if (request.method === 'GET' && !request.url?.startsWith('/refs/'))
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(refs);
    });
    const address = `127.1.${Math.floor(at / 250)}.${(at % 250) + 1}`;
    return new Promise((resolve) => server.listen(0, address, () => resolve(server)));
  };
  const servers = await Promise.all(Array.from({ length: count }, (_one, at) => listen(at)));
  return {
    urls: servers.map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address}:${port}`;
    }),
    close: async () => {
      await Promise.all(servers.map(closed));
    },
  };
}

function refsWith(head: string): string {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text;
  const abilities = 'symref=HEAD:refs/heads/main allow-tip-sha1-in-want agent=git/2.40.0';
  return (
    `${line('# service=git-upload-pack\n')}0000${line(`${head} HEAD\0${abilities}\n`)}` +
    `${line(`${head} refs/heads/main\n`)}0000`
  );
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

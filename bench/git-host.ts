import { gitHttpServer } from '../test/git-http-server.ts';

// A Git host in a process of its own, so that what it costs is not taken for ours. It is given the folder of its repositories.

process.once('message', (root: string) => {
  void gitHttpServer({ root }).then(({ url }) => process.send?.(url));
});

import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import {
  createSources,
  type GitRepository,
  type Refs,
  type Sources,
  type SourcesConfig,
} from '#sources/repositories';
import { type GitHttpOptions, type GitHttpServer, gitHttpServer } from './git-http-server.ts';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from './git-repository.ts';
import { gitCommand } from './manifests.ts';

/** Repositories behind hosts of the web, and a git that counts how often it is asked for their refs. */
export type ListedRepository = {
  readonly folder: string;
  readonly ctx: Ctx;
  /** At `/repo/.git` of every host. */
  readonly repo: GitRepositoryFixture;
  host(options?: Partial<GitHttpOptions>): Promise<GitHttpServer>;
  sources(config?: Partial<SourcesConfig>): Sources;
  list(sources: Sources, repository: GitRepository): Promise<Refs>;
  /** Asks three times; git is needed for the first alone, and all answers are one. */
  expectQuick(sources: Sources, repository: GitRepository): Promise<Refs>;
  /** How often git was asked since the last `reset`. */
  gitLists(): Promise<number>;
  /** Lets time go by for `ctx`. */
  wait(ms: number): void;
  /** Closes what was opened, and begins to count anew. */
  reset(): Promise<void>;
  remove(): Promise<void>;
};

export async function listedRepository(): Promise<ListedRepository> {
  const { path: folder, remove } = await temporaryFolder();
  const root = join(folder, 'srv');
  const repo = await gitRepository(join(root, 'repo'));
  await repo.commit({ 'a.yaml': 'a: 1\n' });
  const calls = join(folder, 'calls');
  const command = join(folder, 'git');
  const script = `#!/bin/sh\necho "$*" >> ${calls}\nexec ${gitCommand().command} "$@"\n`;
  await writeFile(command, script, { mode: 0o755 });
  await writeFile(calls, '');
  const opened: { close(): Promise<void> }[] = [];
  let later = 0;
  let runs = 0;
  const clock = { ...realClock, now: () => new Date(Date.now() + later) };
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };
  const list: ListedRepository['list'] = (sources, repository) =>
    sources.listRefs(ctx, repository, { fresh: true });
  const gitLists = async (): Promise<number> =>
    (await readFile(calls, 'utf8')).split(' ls-remote ').length - 1;
  return {
    folder,
    ctx,
    repo,
    list,
    gitLists,
    async host(options) {
      const server = await gitHttpServer({ root, ...options });
      opened.push(server);
      return server;
    },
    sources(config) {
      runs += 1;
      const cacheDir = join(folder, `cache-${runs}`);
      const sources = createSources({ cacheDir, git: { command }, reach: { loopback: true }, ...config });
      opened.push(sources);
      return sources;
    },
    async expectQuick(sources, repository) {
      const before = await gitLists();
      const first = await list(sources, repository);
      for (let again = 0; again < 2; again++)
        expect(shown(await list(sources, repository))).toEqual(shown(first));
      expect((await gitLists()) - before).toBe(1);
      return first;
    },
    wait(ms) {
      later += ms;
    },
    async reset() {
      later = 0;
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await writeFile(calls, '');
    },
    remove,
  };
}

/** Everything that shows of a list, its order too. */
export const shown = ({ byName, head, tagObjects }: Refs) => ({
  byName: [...byName],
  head,
  tagObjects: [...tagObjects],
});

/** Whether we ask, and not git. */
export const isOurs = ({ headers }: IncomingMessage): boolean => headers['user-agent'] === 'git/fairlead';

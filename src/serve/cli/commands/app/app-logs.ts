import type { Command } from 'commander';
import { applications, type LogEntry } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError, type Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { type NameFlags, namespaced, refOfName } from './app-flags.ts';

type LogFlags = NameFlags & {
  group?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  follow?: boolean;
  tail?: string;
  sinceSeconds?: string;
  untilTime?: string;
  filter?: string;
  container?: string;
  previous?: boolean;
  matchCase?: boolean;
};

export function addLogs(app: Command, { open }: CliDeps): void {
  const logs = namespaced(app.command('logs <app>'))
    .description('print the logs of the pods of an application, sorted by time')
    .option('--group <group>', 'only of resources of this API group')
    .option('--kind <kind>', 'only of resources of this kind')
    .option('--namespace <namespace>', 'only of resources in this namespace')
    .option('--name <name>', 'only of the resource with this name')
    .option('-f, --follow', 'go on with new lines until you stop it')
    .option('--tail <lines>', 'only the last lines of each pod')
    .option('--since-seconds <seconds>', 'only lines of the last seconds')
    .option('--until-time <time>', 'only lines before this time, for example 2026-01-02T15:04:05Z')
    .option('--filter <text>', 'only lines with this text; !text: without it')
    .option('-m, --match-case', 'the filter distinguishes capitals')
    .option('-c, --container <name>', 'only of this container')
    .option('-p, --previous', 'of the containers before their last restart')
    .action(async (given: string, flags: LogFlags) => {
      const { io, session, signal } = await open();
      const { params, query } = refOfName(given, flags);
      const { name: resourceName, tail: tailLines, appNamespace: _ns, ...rest } = flags;
      const entries = session.follow(applications.logs, {
        params,
        query: { ...query, ...rest, resourceName, tailLines },
        signal,
      });
      const count = await printEntries(io, entries).catch((error: unknown) => {
        if (signal.aborted) throw new ExitError(130, '');
        throw error;
      });
      if (count === 0) io.err(`note: no pod of '${given}' has a line that matches\n`);
    });
  examples(
    logs,
    'fairlead app logs guestbook',
    'fairlead app logs guestbook -f --kind Deployment --name web',
    'fairlead app logs guestbook --tail 100 --since-seconds 3600 --filter error',
    'fairlead app logs guestbook -c main --previous',
  );
}

/** Lines name their pod once there are several. Returns how many there were. */
async function printEntries(io: Io, entries: AsyncIterable<LogEntry>): Promise<number> {
  const paint = paintFor(io);
  const pods = new Set<string>();
  let count = 0;
  for await (const { content, podName, last } of entries) {
    if (last && content === '') break;
    pods.add(podName);
    count += 1;
    io.out(pods.size > 1 ? `${paint('faint', podName)} ${content}\n` : `${content}\n`);
  }
  return count;
}

import { dirname } from 'node:path';
import { type Command, type Outcome, run } from '#exec';
import { type Ctx, FairleadError } from '#std';
import { mayPass } from './retry.ts';

/** The git program and the empty folder it believes to be at home in. */
export type GitProgram = { readonly command: string; readonly home: string };

/** Settings for one run that must not be seen in a list of processes, and what it may speak. */
export type GitAccess = {
  readonly protocols: readonly ('file' | 'http' | 'https' | 'ssh')[];
  readonly config: readonly (readonly [key: string, value: string])[];
  readonly env: Readonly<Record<string, string>>;
  /** The settings for ssh, for whoever calls it without git. */
  readonly sshConfig?: string;
};

export type GitCall = {
  readonly gitDir?: string;
  readonly args: readonly string[];
  /** Left out: the run may not reach any repository but its own. */
  readonly access?: GitAccess;
  readonly ms: number;
  readonly stdoutBytes?: number;
};

/** Holds for every run: no hooks, no background work, one pack per fetch so that a fetch is there or is not. */
const fixed: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.logAllRefUpdates', 'false'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.unpackLimit', '1'],
  ['fetch.writeCommitGraph', 'false'],
  ['protocol.ext.allow', 'never'],
  ['protocol.version', '2'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '30'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
];

/** What to start for a git run: nothing of the user's or the machine's configuration reaches it. */
export function gitCommand(program: GitProgram, call: Omit<GitCall, 'ms'>): Command {
  const { access, gitDir } = call;
  return {
    program: program.command,
    args: [...fixed.flatMap(([key, value]) => ['-c', `${key}=${value}`]), ...call.args],
    cwd: gitDir ?? program.home,
    env: {
      PATH: `${dirname(program.command)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: program.home,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: access?.protocols.join(':') ?? 'none',
      ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
      ...access?.env,
      ...configEnv(access?.config ?? []),
    },
  };
}

function configEnv(config: GitAccess['config']): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) };
  config.forEach(([key, value], at) => {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  });
  return env;
}

/** Runs git to its end. A non-zero code is for the caller to read; running too long is Unavailable. */
export async function runGit(ctx: Ctx, program: GitProgram, call: GitCall): Promise<Outcome> {
  try {
    return await run(ctx, {
      ...gitCommand(program, call),
      limits: { ms: call.ms, stdoutBytes: call.stdoutBytes ?? 1024 * 1024, stderrBytes: 1024 * 1024 },
    });
  } catch (error) {
    // time is the network's to give: unlike any other limit, it may be kept the next time
    if (error instanceof FairleadError && /ran longer/.test(error.message)) {
      throw mayPass(new FairleadError('Unavailable', `git took longer than ${call.ms} ms`, error));
    }
    throw error;
  }
}

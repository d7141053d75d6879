import { dirname } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { type Command, type ProgramResult, run } from '#platform/exec';
import { mayPass } from './retry.ts';

/** The git program, the empty folder that is its HOME, and its memory limit. */
export type GitProgram = { readonly command: string; readonly home: string; readonly memoryMb: number };

/** Settings for one run that must not appear in a process list, and the protocols it may use. */
export type GitAccess = {
  readonly protocols: readonly ('file' | 'http' | 'https' | 'ssh')[];
  readonly config: readonly (readonly [key: string, value: string])[];
  readonly env: Readonly<Record<string, string>>;
  /** The ssh settings, for callers that run ssh without git. */
  readonly sshConfig?: string;
};

export type GitCall = {
  readonly gitDir?: string;
  readonly args: readonly string[];
  /** Left out: the run may access no repository but its own. */
  readonly access?: GitAccess;
  readonly ms: number;
  readonly stdoutBytes?: number;
  /** Its standard input: untrusted names and texts come this way, never as arguments. */
  readonly input?: string | Uint8Array;
  /** More of its environment, such as the author of a commit. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Applies to every run: no hooks, no background work, one pack per fetch so that a fetch is complete or absent. */
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
  // packs are mapped in parts, and not by one thread per core: memory is limited
  ['core.packedGitWindowSize', '128m'],
  ['core.packedGitLimit', '512m'],
  ['core.bigFileThreshold', '64m'],
  ['pack.threads', '4'],
  ['pack.windowMemory', '128m'],
];

/** The command of a git run: no configuration of the user or the machine applies to it. */
export function gitCommand(program: GitProgram, call: Omit<GitCall, 'ms'>): Command {
  const { access, gitDir } = call;
  return {
    program: program.command,
    args: [...fixed.flatMap(([key, value]) => ['-c', `${key}=${value}`]), ...call.args],
    cwd: gitDir ?? program.home,
    memoryMb: program.memoryMb,
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
      ...call.env,
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

/**
 * Runs git to its end. The caller handles a non-zero code; a timeout is Unavailable, and exceeding the memory limit is
 * LimitExceeded.
 */
export async function runGit(ctx: Ctx, program: GitProgram, call: GitCall): Promise<ProgramResult> {
  try {
    const outcome = await run(ctx, {
      ...gitCommand(program, call),
      ...(call.input !== undefined && { stdin: call.input }),
      limits: { ms: call.ms, stdoutBytes: call.stdoutBytes ?? 1024 * 1024, stderrBytes: 1024 * 1024 },
    });
    if (outcome.code !== 0 && isOutOfMemory(ownWords(call, outcome))) throw tooMuchMemory(program);
    return outcome;
  } catch (error) {
    // a timeout depends on the network: unlike any other limit, the next run may keep it
    if (error instanceof FairleadError && /ran longer/.test(error.message)) {
      throw mayPass(new FairleadError('Unavailable', `git took longer than ${call.ms} ms`, error));
    }
    throw error;
  }
}

/** Without the messages that git marks as those of the server; the server of a local repository is our child process. */
const ownWords = ({ access }: GitCall, { stderr }: ProgramResult): string =>
  access?.protocols.includes('file') ? stderr : stderr.replace(/^remote:.*$/gm, '');

/** An error message about exhausted memory. */
export const isOutOfMemory = (stderr: string): boolean =>
  /out of memory|(malloc|calloc|realloc|mmap)\b.* failed|cannot allocate memory|cannot be mapped|unable to create thread/i.test(
    stderr,
  );

export const tooMuchMemory = ({ memoryMb }: GitProgram): FairleadError =>
  new FairleadError(
    'LimitExceeded',
    `git needs more than ${memoryMb} MB of memory for this repository: it holds files or packs that are too large`,
  );

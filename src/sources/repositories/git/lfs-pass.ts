import { type Ctx, FairleadError } from '#base/std';
import { type ProgramResult, run } from '#platform/exec';
import type { SshRemote } from '../repository-url.ts';
import { jsonAnswer } from '../web/json-answer.ts';
import { gitFailure } from './failure.ts';
import { headersIn, isWebUrl } from './lfs-download.ts';
import type { GitRoute } from './route.ts';

/** The response of git-lfs-authenticate over ssh: the LFS endpoint, and the headers to send there. */
export type Pass = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly until: number;
};

const heldMs = 5 * 60_000;
const marginMs = 30_000;

/** Runs git-lfs-authenticate on the host, as git lfs does. Throws InvalidSpec when the host does not have it. */
export async function requestPass(ctx: Ctx, remote: SshRemote, route: GitRoute): Promise<Pass> {
  const { code, stdout, stderr } = await route.use(({ sshConfig = '' }) =>
    requestLfsPass(ctx, remote, sshConfig),
  );
  if (code === 255) throw gitFailure(remote.shown, stderr); // the exit code of ssh's own failures
  const { href, header, expires_in: seconds } = code === 0 ? jsonAnswer(stdout) : {};
  if (!isWebUrl(href)) {
    throw new FairleadError(
      'InvalidSpec',
      `the host of repository ${remote.shown} has no large files to give over ssh: use its https URL`,
    );
  }
  const now = ctx.clock.now().getTime();
  const lives = Number(seconds) > 0 ? Number(seconds) * 1000 - marginMs : heldMs;
  return { url: new URL(href), headers: headersIn(header), until: now + Math.min(lives, heldMs) };
}

function requestLfsPass(ctx: Ctx, { host, location }: SshRemote, config: string): Promise<ProgramResult> {
  const path = location.replace(/^ssh:\/\/[^/]*\/|^[^:]*(?:\[[^\]]*\])?:/, '');
  const word = `'${path.replaceAll("'", "'\\''")}'`; // the host passes it to a shell
  return run(ctx, {
    program: 'ssh',
    args: ['-F', config, '--', host, `git-lfs-authenticate ${word} download`],
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    limits: { ms: 30_000, stdoutBytes: 65_536, stderrBytes: 65_536 },
  });
}

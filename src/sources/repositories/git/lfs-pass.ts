import { type Ctx, FairleadError } from '#base/std';
import { type ProgramResult, run } from '#platform/exec';
import type { SshRemote } from '../repository-url.ts';
import { jsonAnswer } from '../web/json-answer.ts';
import { gitFailure } from './failure.ts';
import { headersIn, isWebUrl } from './lfs-download.ts';
import type { GitRoute } from './route.ts';

/** What a host gives to whom it knows over ssh: where its large files are, and what to show there. */
export type Pass = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly until: number;
};

const heldMs = 5 * 60_000;
const marginMs = 30_000;

/** Asks the host as git lfs does. Throws InvalidSpec when it knows no such thing. */
export async function askPass(ctx: Ctx, remote: SshRemote, route: GitRoute): Promise<Pass> {
  const { code, stdout, stderr } = await route.use(({ sshConfig = '' }) => ask(ctx, remote, sshConfig));
  if (code === 255) throw gitFailure(remote.shown, stderr); // ssh's own failures have this code
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

function ask(ctx: Ctx, { host, location }: SshRemote, config: string): Promise<ProgramResult> {
  const path = location.replace(/^ssh:\/\/[^/]*\/|^[^:]*(?:\[[^\]]*\])?:/, '');
  const word = `'${path.replaceAll("'", "'\\''")}'`; // the other side gives it to a shell
  return run(ctx, {
    program: 'ssh',
    args: ['-F', config, '--', host, `git-lfs-authenticate ${word} download`],
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
    limits: { ms: 30_000, stdoutBytes: 65_536, stderrBytes: 65_536 },
  });
}

import { type ErrorCode, FairleadError } from '#std';

type Reading = { readonly sign: RegExp; readonly code: ErrorCode; readonly says: (shown: string) => string };

/** What git's words mean, the most telling first. Only `Unavailable` is worth another attempt. */
const readings: readonly Reading[] = [
  {
    sign: /could not read (Username|Password)|terminal prompts disabled|HTTP 401|error: 401|returned error: 403|Authentication failed|Access denied/i,
    code: 'Auth',
    says: (shown) =>
      `repository ${shown} refused our credentials: check the username and password of its Secret`,
  },
  {
    sign: /unable to update url base from redirection|returned error: 30[12378]/i,
    code: 'InvalidSpec',
    says: (shown) =>
      `repository ${shown} answers with a redirect, which is not followed: use the final URL, often the same with .git`,
  },
  {
    sign: /dubious ownership/i,
    code: 'PermissionDenied',
    says: (shown) =>
      `repository ${shown} belongs to another user: run as its owner, or list it as safe.directory`,
  },
  {
    sign: /returned error: 404|repository .*not found|does not appear to be a git repository|does not exist/i,
    code: 'NotFound',
    says: (shown) =>
      `there is no repository at ${shown}: check repoURL, and the credentials if it is a private one`,
  },
  {
    sign: /mismatched algorithms/i,
    code: 'InvalidSpec',
    says: (shown) => `repository ${shown} uses SHA-256 objects, which are not supported: only SHA-1 is`,
  },
  {
    sign: /SSL certificate|certificate (verify|verification)|self.signed/i,
    code: 'Unavailable',
    says: (shown) =>
      `the TLS certificate of ${shown} cannot be verified: add its authority, or mark the repository insecure`,
  },
];

/** Turns what git printed into our error. Nothing of a host path or a secret gets through. */
export function gitFailure(shown: string, stderr: string): FairleadError {
  const reading = readings.find(({ sign }) => sign.test(stderr));
  if (reading) return new FairleadError(reading.code, reading.says(shown));
  return new FairleadError('Unavailable', `repository ${shown} cannot be read: ${essence(stderr)}`);
}

/** The server will not give a commit by its hash alone, or does not have it. */
export const isUnadvertised = (stderr: string): boolean =>
  /not our ref|unadvertised object|no such remote ref|couldn't find remote ref/i.test(stderr);

/** Our own mirror is at fault, not the other side, whose complaints git marks as such. */
export const isDamage = (stderr: string): boolean => damage.test(stderr.replace(/^remote:.*$/gm, ''));

const damage =
  /\.lock'?: File exists|unable to create .*lock|object file .* is empty|loose object .* is corrupt|packfile .*(corrupt|cannot be|index unavailable|does not match)|bad object|inflate: data stream error|unable to read (tree|sha1)|not a git repository|invalid object|missing (blob|tree|commit) object|did not send all necessary objects/i;

/** The last complaint of git, without paths and URLs of this machine. */
function essence(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote):\s*/i, '').trim())
    .filter((line) => line !== '' && !/^(please make sure|and the repository exists)/i.test(line));
  const line =
    lines.find((text) => /error|fail|could|unable|timed|refused|reset|not /i.test(text)) ?? lines[0];
  if (!line) return 'git gave no reason';
  return line
    .replace(/\w+:\/\/[^\s'"]+/g, 'its URL')
    .replace(/(['"]?)\/[^\s'":]+\1/g, 'its folder')
    .slice(0, 300);
}

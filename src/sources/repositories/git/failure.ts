import { type ErrorCode, FairleadError } from '#base/std';
import { mayPass } from './retry.ts';

type Reading = { readonly sign: RegExp; readonly code: ErrorCode; readonly says: (shown: string) => string };

/** The meaning of git's and ssh's messages, the most specific first. */
const readings: readonly Reading[] = [
  {
    sign: /ssh: (command )?not found|cannot run ssh/i,
    code: 'NotFound',
    says: (shown) =>
      `repository ${shown} is reached over ssh, and this machine has no ssh program: install openssh-client`,
  },
  {
    sign: /No user exists for uid/i,
    code: 'InvalidSpec',
    says: (shown) =>
      `repository ${shown} is reached over ssh, which wants a name for the user we run as: add the uid to /etc/passwd`,
  },
  {
    sign: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|no matching host key type/i,
    code: 'Auth',
    says: (shown) =>
      `the ssh host of repository ${shown} showed another key than the known one: verify the key with its owner, then correct ssh_known_hosts in ConfigMap argocd-ssh-known-hosts-cm`,
  },
  {
    sign: /Load key .*(invalid format|error in libcrypto|unsupported)/i,
    code: 'Auth',
    says: (shown) =>
      `the sshPrivateKey of repository ${shown} is no private key that ssh can read: correct it`,
  },
  {
    sign: /Permission denied \(|Too many authentication failures/i,
    code: 'Auth',
    says: (shown) =>
      `repository ${shown} refused our ssh key: add its public half there, or correct sshPrivateKey in its Secret`,
  },
  {
    sign: /could not read (Username|Password)|terminal prompts disabled|HTTP 401|error: 401|returned error: 403|Authentication failed|Access denied|returned error: 407|HTTP code 407/i,
    code: 'Auth',
    says: (shown) =>
      `repository ${shown} does not let us in: check the username and password of its Secret, and that the project has one`,
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
    sign: /SSL certificate|certificate (verify|verification)|certificate signed by|self.signed|server verification failed/i,
    code: 'Unavailable',
    says: (shown) =>
      `the TLS certificate of ${shown} cannot be verified: add its authority to ConfigMap argocd-tls-certs-cm under the name of the host, or mark the repository insecure`,
  },
];

/** Converts git's output into our error, without host paths and secrets. */
export function gitFailure(shown: string, stderr: string): FairleadError {
  const reading = readings.find(({ sign }) => sign.test(stderr));
  if (reading) return new FairleadError(reading.code, reading.says(shown));
  const failure = new FairleadError('Unavailable', `repository ${shown} cannot be read: ${essence(stderr)}`);
  return isPassing(stderr) ? mayPass(failure) : failure;
}

/** compat sources GIT-7: only these are retried at once. */
export const isPassing = (stderr: string): boolean =>
  /timed out|timeout|HTTP 429|returned error: (429|5\d\d)|connection (was )?reset|reset by peer|early EOF|hung up unexpectedly|RPC failed|unexpected disconnect|kex_exchange_identification|Connection closed by/i.test(
    stderr,
  ) && !readings.some(({ sign }) => sign.test(stderr));

/** The server does not serve a commit by its hash alone, or does not have it. */
export const isUnadvertised = (stderr: string): boolean =>
  /not our ref|unadvertised object|no such remote ref|couldn't find remote ref/i.test(stderr);

/** Our own mirror is damaged, not the other side, whose messages git marks as such. */
export const isDamage = (stderr: string): boolean => damage.test(stderr.replace(/^remote:.*$/gm, ''));

const damage =
  /\.lock'?: File exists|unable to create .*lock|object file .* is empty|loose object .* is corrupt|packfile .*(corrupt|cannot be|index unavailable|does not match)|bad object|inflate: data stream error|unable to read (tree|sha1)|not a git repository|invalid object|missing (blob|tree|commit) object|did not send all necessary objects/i;

/**
 * The last error message of git, without paths and URLs of this machine, and without how long it took: the same failure has the same
 * text, so that a retry neither changes a condition nor is logged again.
 */
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
    .replace(/ after \d+ (ms|milliseconds)\b/g, '')
    .replace(/(?<!bytes)(['"]?)\/[^\s'":]+\1/g, 'its folder') // bytes/sec is no path
    .slice(0, 300);
}

import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type CertificateInput, certificates, type TrustedCertificate } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { table } from '../../output/table.ts';

type ListFlags = { output: string; hostnamePattern?: string; certType?: string; sort?: string };

/** compat server §8.3: what the hosts of repositories are trusted by. */
export function addCertificates(cert: Command, deps: CliDeps): void {
  for (const add of [addTls, addSsh, addList, addRemove]) add(cert, deps);
}

async function textAt(file: string | undefined): Promise<string> {
  return readFile(file ?? '/dev/stdin', 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `${file ?? 'standard input'} cannot be read: ${(error as Error).message}`);
  });
}

function addTls(cert: Command, { io, open }: CliDeps): void {
  const add = cert
    .command('add-tls <server>')
    .description('trust a TLS certificate, or an authority, for a host of repositories')
    .option('--from <file>', 'PEM; standard input when missing')
    .option('--upsert', 'replace what the host has already')
    .action(async (serverName: string, { from, upsert }: { from?: string; upsert?: boolean }) => {
      const pem = await textAt(from);
      if (!pem.includes('-----BEGIN CERTIFICATE-----'))
        throw new ExitError(usageExitCode, `${from ?? 'standard input'} has no certificate in PEM form`);
      const { session } = await open();
      const certData = Buffer.from(pem).toString('base64');
      const items = [{ serverName, certType: 'https' as const, certSubType: '', certData }];
      const { items: made } = await session.call(certificates.create, { query: { upsert }, body: { items } });
      io.out(`Created entry with ${made.length} PEM certificates for repository server ${serverName}\n`);
    });
  examples(
    add,
    'fairlead cert add-tls git.example.com --from ca.pem',
    'openssl s_client -connect git.example.com:443 </dev/null | openssl x509 | fairlead cert add-tls git.example.com',
  );
}

function addSsh(cert: Command, { io, open }: CliDeps): void {
  const add = cert
    .command('add-ssh')
    .description('trust SSH host keys, in the form of known_hosts')
    .option('--batch', 'read keys from --from or standard input', true)
    .option('--from <file>', 'known_hosts; standard input when missing')
    .option('--upsert', 'replace keys that a host has already')
    .action(async ({ from, upsert }: { from?: string; upsert?: boolean }) => {
      const items = knownHostsIn(await textAt(from));
      if (items.length === 0)
        throw new ExitError(usageExitCode, 'no host key in the form of known_hosts was given');
      const { session } = await open();
      const { items: made } = await session.call(certificates.create, { query: { upsert }, body: { items } });
      io.out(`Successfully created ${made.length} SSH known host entries\n`);
    });
  examples(
    add,
    'ssh-keyscan git.example.com | fairlead cert add-ssh --batch',
    'fairlead cert add-ssh --from ~/.ssh/known_hosts',
  );
}

/** One entry for each host of a line; hashed hosts are refused, as their names are not known. */
function knownHostsIn(text: string): CertificateInput['items'] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.flatMap((line) => {
    const [hosts = '', certSubType = '', key = ''] = line.trim().split(/\s+/);
    if (hosts.startsWith('|'))
      throw new ExitError(usageExitCode, 'hashed host names are not accepted: use ssh-keyscan without -H');
    if (!key) throw new ExitError(usageExitCode, `not a line of known_hosts: ${line.slice(0, 60)}`);
    return hosts.split(',').map((serverName) => ({
      serverName,
      certType: 'ssh' as const,
      certSubType,
      certData: Buffer.from(key).toString('base64'),
    }));
  });
}

const filtered = (command: Command): Command =>
  command
    .option('--cert-type <type>', 'only ssh or https')
    .option('--cert-sub-type <type>', 'only keys of this type');

function addList(cert: Command, { open }: CliDeps): void {
  const list = filtered(cert.command('list'))
    .description('list the host keys and certificates')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .option('--hostname-pattern <pattern>', 'only of hosts that it matches')
    .option('--sort <column>', 'hostname or type', 'hostname')
    .action(async (flags: ListFlags & { certSubType?: string }) => {
      const { io, session } = await open();
      const { hostnamePattern: hostNamePattern, certType, certSubType, sort } = flags;
      const { items } = await session.call(certificates.list, {
        query: { hostNamePattern, certType, certSubType },
      });
      const key = sort === 'type' ? 'certType' : 'serverName';
      const sorted = items.toSorted((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
      io.out(flags.output === 'wide' ? certificateTable(sorted) : printAs(flags.output, sorted));
    });
  examples(
    list,
    'fairlead cert list',
    'fairlead cert list --cert-type ssh --hostname-pattern "*.example.com"',
  );
}

const certificateTable = (items: readonly TrustedCertificate[]): string =>
  table(
    ['HOSTNAME', 'TYPE', 'SUBTYPE', 'INFO'],
    items.map(({ serverName, certType, certSubType, certInfo = '' }) => [
      serverName,
      certType,
      certSubType,
      certInfo,
    ]),
  );

function addRemove(cert: Command, { open }: CliDeps): void {
  const remove = filtered(cert.command('rm <server>'))
    .description('no longer trust the keys and certificates of hosts that a name or pattern matches')
    .action(async (hostNamePattern: string, flags: { certType?: string; certSubType?: string }) => {
      const { io, session } = await open();
      const { items } = await session.call(certificates.delete, { query: { hostNamePattern, ...flags } });
      if (items.length === 0)
        throw new ExitError(20, `no certificate or host key matches ${hostNamePattern}`);
      for (const one of items) io.out(`Removed cert for '${one.serverName}' of type '${one.certType}'\n`);
    });
  examples(remove, 'fairlead cert rm git.example.com', 'fairlead cert rm "*.example.com" --cert-type https');
}

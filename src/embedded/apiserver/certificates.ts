import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Authority, type CertificatePair } from '#platform/certificates';

/** The certificates of an HTTPS server and its one administrator, all issued by the cluster's own authority. */
export type Certificates = {
  readonly authority: string;
  readonly server: CertificatePair;
  readonly admin: CertificatePair;
};

const names = ['ca', 'server', 'admin'] as const;
const year = 365 * 24 * 3600 * 1000;

/**
 * The certificates stored in `dir`, created on first use and renewed when the server's is about to expire. Private
 * keys are readable by their owner alone.
 */
export async function certificatesIn(
  dir: string,
  hosts: readonly string[],
  now: Date,
): Promise<Certificates> {
  const kept = await load(dir, hosts, now);
  if (kept) return kept;
  const made = issue(hosts, now);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of names) {
    await put(join(dir, `${name}.crt`), made[name].certificate);
    await put(join(dir, `${name}.key`), made[name].key);
  }
  await put(join(dir, 'issued.json'), JSON.stringify({ hosts, until: now.getTime() + 9 * year }));
  return { authority: made.ca.certificate, server: made.server, admin: made.admin };
}

async function load(dir: string, hosts: readonly string[], now: Date): Promise<Certificates | undefined> {
  try {
    const read = (name: string) => readFile(join(dir, name), 'utf8');
    const issued = JSON.parse(await read('issued.json')) as { hosts: string[]; until: number };
    if (issued.until < now.getTime() || hosts.some((host) => !issued.hosts.includes(host))) return undefined;
    const pair = async (name: string) => ({
      certificate: await read(`${name}.crt`),
      key: await read(`${name}.key`),
    });
    return { authority: await read('ca.crt'), server: await pair('server'), admin: await pair('admin') };
  } catch {
    return undefined; // missing or incomplete: a new set replaces it
  }
}

async function put(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function issue(
  hosts: readonly string[],
  now: Date,
): Readonly<Record<(typeof names)[number], CertificatePair>> {
  const authority = new Authority(now);
  return {
    ca: authority.pair,
    server: authority.issue({ user: 'kube-apiserver' }, { for: 'server', hosts }),
    admin: authority.issue({ user: 'system:admin', groups: ['system:masters'] }, { for: 'client' }),
  };
}

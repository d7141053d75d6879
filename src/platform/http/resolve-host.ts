import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type Ctx, FairleadError, SingleFlight } from '#base/std';

/** The resolver's files. Left out: those of this machine. */
export type ResolverFiles = {
  readonly hosts: string;
  readonly resolvConf: string;
  /** Name servers instead of those of the file, each `address` or `address:port`. */
  readonly servers?: readonly string[];
};

const machine: ResolverFiles = { hosts: '/etc/hosts', resolvConf: '/etc/resolv.conf' };

/** The timeout of one query to one name server, and the number of attempts for each. */
const query = { timeout: 2_000, tries: 2 };

/**
 * Resolves host names without the thread pool of the process. getaddrinfo occupies one of its few threads for as long as a
 * name server does not respond, so that a few hundred names of unresponsive servers would block every other lookup. Here
 * every name has queries of its own. Names that only the machine's own resolver knows (mDNS, VPNs of macOS) are looked up
 * there, one at a time, after DNS has answered that the name does not exist.
 */
export class HostResolver {
  readonly #files: ResolverFiles;
  readonly #flights = new SingleFlight<readonly string[]>();
  #resolver: { readonly settings: string; readonly resolver: Resolver } | undefined;
  #fallback: Promise<unknown> = Promise.resolve();

  constructor(files: ResolverFiles = machine) {
    this.#files = files;
  }

  /** Every address of a host, IPv4 first. Throws Unavailable when there is none, or no name server responds. */
  async addresses(ctx: Ctx, host: string): Promise<readonly string[]> {
    return this.#flights.run(ctx, host.toLowerCase(), (shared) => this.#resolve(shared, host.toLowerCase()));
  }

  async #resolve(ctx: Ctx, host: string): Promise<readonly string[]> {
    const name = host.replace(/\.$/, '');
    const listed = hostsIn(await textOf(this.#files.hosts), name);
    if (listed.length > 0) return listed;
    // RFC 6761: these are never looked up
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const settings = await textOf(this.#files.resolvConf);
    const { search, ndots } = searchIn(settings);
    for (const candidate of candidatesFor(host, search, ndots)) {
      ctx.signal.throwIfAborted();
      const found = await this.#query(this.#resolverFor(settings), candidate);
      if (found.length > 0) return found;
    }
    return this.#files.servers ? Promise.reject(unknown(host)) : this.#resolveBySystem(ctx, host);
  }

  /** One for all names, created again when the settings of the machine have changed. */
  #resolverFor(settings: string): Resolver {
    if (this.#resolver?.settings === settings) return this.#resolver.resolver;
    const resolver = new Resolver(query);
    if (this.#files.servers) resolver.setServers(this.#files.servers);
    this.#resolver = { settings, resolver };
    return resolver;
  }

  /** The addresses of one name; none when DNS has none. */
  async #query(resolver: Resolver, name: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected' && !isAbsence(answer.reason));
    if (found.length === 0 && failure?.status === 'rejected') throw noAnswer(name, failure.reason);
    return found;
  }

  /** One at a time: at most one thread of the pool waits for a name of ours. */
  #resolveBySystem(ctx: Ctx, host: string): Promise<readonly string[]> {
    const requested = this.#fallback.then(async () => {
      ctx.signal.throwIfAborted();
      const found = await lookup(host, { all: true }).catch((error: unknown) => {
        throw unknown(host, error);
      });
      return found.map(({ address }) => address);
    });
    this.#fallback = requested.catch(() => {});
    return requested;
  }
}

/** The DNS errors for a name without such an address; without any name server the machine may still know it. */
const isAbsence = (error: unknown): boolean =>
  ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ENONAME', 'EBADNAME'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );

const unknown = (host: string, cause?: unknown): FairleadError =>
  new FairleadError('Unavailable', `host ${host} cannot be found: check the name, and DNS`, cause);

const noAnswer = (host: string, cause: unknown): FairleadError =>
  new FairleadError('Unavailable', `host ${host} cannot be found: its name server does not answer`, cause);

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** hosts(5): an address, then its names; what follows # is a comment. */
function hostsIn(text: string, name: string): string[] {
  const rows = text.split('\n').map((row) => row.replace(/#.*$/, '').trim().toLowerCase().split(/\s+/));
  return [...new Set(rows.flatMap(([address = '', ...names]) => (names.includes(name) ? [address] : [])))];
}

/** resolv.conf(5): of `search` and `domain` the last one counts. */
function searchIn(text: string): { readonly search: readonly string[]; readonly ndots: number } {
  let search: readonly string[] = [];
  let ndots = 1;
  for (const row of text.split('\n')) {
    const [word = '', ...rest] = row
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    if (word === 'search' || word === 'domain') search = rest.filter((domain) => domain !== '.');
    const dots = word === 'options' && rest.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).find(Boolean);
    if (dots) ndots = Math.min(15, Number(dots));
  }
  return { search, ndots };
}

/** The names to try, in order: one with enough dots is tried as it is before the domains are added to it. */
function candidatesFor(host: string, search: readonly string[], ndots: number): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  const joined = search.map((domain) => `${host}.${domain.replace(/^\.|\.$/g, '')}`);
  return host.split('.').length - 1 >= ndots ? [host, ...joined] : [...joined, host];
}

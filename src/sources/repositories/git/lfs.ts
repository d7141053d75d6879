import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodeText } from '#base/model';
import { type Ctx, FairleadError, Lru, SingleFlight } from '#base/std';
import type { Remote, SshRemote } from '../repository-url.ts';
import { clientCertificate } from '../web/trust.ts';
import { authorization } from './authorization.ts';
import { download, type LfsServer } from './lfs-download.ts';
import { type Pass, requestPass } from './lfs-pass.ts';
import { type LfsPointer, mayBePointer, parsePointer } from './lfs-pointer.ts';
import type { Library, MirrorAccess } from './library.ts';
import type { SourceLimits } from './limits.ts';
import { isReachable } from './local-reach.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment } from './route.ts';
import type { Entry, Folder, ReadBlob } from './tree.ts';

const largestAttributes = 1024 * 1024;
/** Files read when only checking for unfetched pointers. */
const mostProbed = 2_000;

/** Downloads the content of large files that a repository has pointers to, one file at a time, when it is read. */
export class Lfs {
  readonly #library: Library;
  readonly #around: GitEnvironment;
  readonly #limits: SourceLimits;
  readonly #flights = new SingleFlight<Uint8Array>();
  readonly #passes = new Lru<Pass>({ capacity: 1_000 });
  readonly #warnings = new Lru<readonly string[]>({ capacity: 1_000 });

  constructor(library: Library, around: GitEnvironment, limits: SourceLimits) {
    this.#library = library;
    this.#around = around;
    this.#limits = limits;
  }

  /** Reads files, with content in place of pointers (sources LFS-1). The bytes per tree are limited. */
  reader(place: MirrorAccess): ReadBlob {
    let left = this.#limits.lfsBytes;
    return async (hash) => {
      const bytes = await place.mirror.trees.read(hash);
      const pointer = parsePointer(bytes);
      if (!pointer) return bytes;
      left -= pointer.size;
      if (left < 0 || pointer.size > this.#limits.fileBytes) throw this.#tooMuch(place, pointer);
      // the caller that opened the tree may be gone: the timeout is that of one fetch
      const { ctx } = this.#library;
      return this.#flights.run(ctx, `${place.identity} ${pointer.oid}`, (shared) =>
        this.#content(shared, place, pointer),
      );
    };
  }

  /** The warning for a tree that contains pointers while its repository does not fetch their content. */
  async unfetched(place: MirrorAccess, root: Folder): Promise<readonly string[]> {
    const attributes = root.entries.get('.gitattributes');
    if (attributes?.kind !== 'file' || (attributes.size ?? 0) > largestAttributes) return [];
    const known = this.#warnings.get(root.hash);
    if (known) return known;
    const found = await this.#firstPointer(place, root, attributes);
    const warnings =
      found === undefined
        ? []
        : [
            `${found} is a Git LFS pointer and is rendered as such: set enableLfs in the Secret of repository ${place.remote.shown}`,
          ];
    this.#warnings.set(root.hash, warnings);
    return warnings;
  }

  async #firstPointer(
    { mirror }: MirrorAccess,
    root: Folder,
    attributes: Entry,
  ): Promise<string | undefined> {
    if (!/filter=lfs/.test(decodeText(await mirror.trees.read(attributes.hash)))) return undefined;
    let probed = 0;
    for (const { path, entry } of filesOf(root, '')) {
      if (!mayBePointer(entry.size ?? 0)) continue;
      if (++probed > mostProbed) return undefined;
      if (parsePointer(await mirror.trees.read(entry.hash))) return path;
    }
    return undefined;
  }

  /** Stored beside the mirror, so that it is deleted with it. Stored content is verified like downloads. */
  async #content(ctx: Ctx, place: MirrorAccess, pointer: LfsPointer): Promise<Uint8Array> {
    const file = join(place.mirror.dir, 'lfs', objectPath(pointer.oid));
    const kept = await readFile(file).catch(() => undefined);
    if (kept && isWhole(kept, pointer)) return kept;
    const bytes = await this.#fetched(ctx, place, pointer);
    if (!bytes || !isWhole(bytes, pointer)) {
      throw new FairleadError(
        'Unavailable',
        `large file ${pointer.oid} of repository ${place.remote.shown} did not arrive as its pointer says: push it again with git lfs`,
      );
    }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${randomUUID()}`;
    await writeFile(fresh, bytes, { mode: 0o600 });
    await rename(fresh, file);
    return bytes;
  }

  async #fetched(ctx: Ctx, place: MirrorAccess, pointer: LfsPointer): Promise<Uint8Array | undefined> {
    const { remote, repository } = place;
    if (remote.kind === 'local') {
      const { location } = await this.#library.route(ctx, repository);
      return this.#onDisk(location, objectPath(pointer.oid));
    }
    const { reach: egress, trust, proxy } = this.#around;
    const server =
      remote.kind === 'http'
        ? await this.#overHttp(ctx, remote, repository)
        : await this.#overSsh(ctx, place, remote);
    return download(ctx, { egress, trust: trust(), proxy }, { server, pointer, limits: this.#limits });
  }

  /** A link among the large files is checked by its target, like the repository. */
  async #onDisk(location: string, path: string): Promise<Uint8Array | undefined> {
    for (const folder of ['.git/lfs/objects', 'lfs/objects']) {
      const file = join(location, folder, path);
      if (await isReachable(file, this.#around.reach)) return readFile(file).catch(() => undefined);
    }
    return undefined;
  }

  async #overHttp(
    ctx: Ctx,
    remote: Remote & { kind: 'http' },
    repository: GitRepository,
  ): Promise<LfsServer> {
    const { insecure, proxy, noProxy, credentials = {} } = repository;
    const header = await authorization(ctx, repository, remote, this.#around);
    return {
      shown: remote.shown,
      url: new URL(`${remote.url.href.replace(/\.git$/, '')}.git/info/lfs`),
      headers: header ? { authorization: header } : {},
      terms: { insecure, proxy, noProxy, certificate: clientCertificate(credentials, remote.shown) },
    };
  }

  /** Over ssh the host issues HTTP credentials, which are valid for some minutes. */
  async #overSsh(ctx: Ctx, { repository, identity }: MirrorAccess, remote: SshRemote): Promise<LfsServer> {
    const now = ctx.clock.now().getTime();
    const held = this.#passes.get(identity);
    const pass =
      held && held.until > now
        ? held
        : await requestPass(ctx, remote, await this.#library.route(ctx, repository));
    this.#passes.set(identity, pass);
    const { insecure, proxy, noProxy } = repository;
    const web = proxy?.startsWith('socks') ? {} : { proxy, noProxy };
    return { shown: remote.shown, url: pass.url, headers: pass.headers, terms: { insecure, ...web } };
  }

  #tooMuch({ remote }: MirrorAccess, { size }: LfsPointer): FairleadError {
    const { fileBytes, lfsBytes } = this.#limits;
    return new FairleadError(
      'LimitExceeded',
      `a large file of ${size} bytes in repository ${remote.shown} is beyond the ${fileBytes} of one file, or all of them beyond ${lfsBytes}`,
    );
  }
}

const objectPath = (oid: string): string => join(oid.slice(0, 2), oid.slice(2, 4), oid);

/** compat sources LFS-2: both the size and the hash must match the pointer. */
const isWhole = (bytes: Uint8Array, { oid, size }: LfsPointer): boolean =>
  bytes.length === size && createHash('sha256').update(bytes).digest('hex') === oid;

function* filesOf(folder: Folder, dir: string): Generator<{ path: string; entry: Entry }> {
  for (const [name, entry] of folder.entries) {
    if (entry.kind === 'file') yield { path: `${dir}${name}`, entry };
    // pointers in submodules are reported for their own repository
    else if (entry.folder && !entry.read) yield* filesOf(entry.folder, `${dir}${name}/`);
  }
}

import type { FileTree } from '#base/model';
import { type Ctx, FairleadError, SingleFlight } from '#base/std';
import { type Digest, isDigest } from '../archive/blobs.ts';
import { lower } from '../archive/limits.ts';
import { newestWithin } from '../choose-version.ts';
import type { RefAge } from '../git/remote-refs.ts';
import {
  type ChartSource,
  type ChartSourceDeps,
  type ChartSourceOptions,
  named,
  type ResolvedChart,
  refuseEscape,
} from '../helm/charts.ts';
import { orFailed, reportRequest, type SourceObserver } from '../observe.ts';
import { ResponseCache } from '../response-cache.ts';
import { parseConstraint } from '../semver.ts';
import type { SourceRepository } from '../source-repository.ts';
import { type ArtifactManifest, readManifest, refuseMediaType } from './manifest.ts';
import { Registry } from './registry.ts';
import { type RegistryRepository, registryRepository, tagOf, versionOf } from './registry-repository.ts';

type ArtifactRequest = {
  readonly type: 'get-tags' | 'resolve-revision' | 'digest-metadata' | 'extract';
  readonly revision: string;
};

const tagShape = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** A registry and its cached manifests and tags. Charts and artifacts are served from one. */
export class CachedRegistry {
  readonly registry: Registry;
  readonly #tags = new ResponseCache<readonly string[]>(2_000_000, (tags) => tags.length + 10);
  readonly #digests = new ResponseCache<Digest>(100_000);
  readonly #blobs = new SingleFlight<void>();
  readonly #deps: ChartSourceDeps;
  readonly #observe: SourceObserver | undefined;

  constructor(deps: ChartSourceDeps, observe: SourceObserver | undefined) {
    this.#deps = deps;
    this.#observe = observe;
    this.registry = new Registry(deps);
  }

  tags(ctx: Ctx, place: RegistryRepository, age: RefAge): Promise<readonly string[]> {
    return this.#tags.get(ctx, place.identity, age, (shared) =>
      this.#reported(shared, place, { type: 'get-tags', revision: '' }, () =>
        this.registry.tags(shared, place),
      ),
    );
  }

  /** The current digest of a tag. */
  digest(ctx: Ctx, place: RegistryRepository, tag: string, age: RefAge): Promise<Digest> {
    return this.#digests.get(ctx, `${place.identity} ${tag}`, age, async (shared) => {
      const requested = { type: 'resolve-revision', revision: tag } as const;
      const { digest, mediaType, bytes } = await this.#reported(shared, place, requested, () =>
        this.registry.manifest(shared, place, tag),
      );
      const what = `${place.shown}:${tag}`;
      const manifest = readManifest(bytes, { mediaType, what });
      refuseMediaType(manifest, what, this.#deps.rules().mediaTypes);
      await this.#deps.blobs.setNote(shared, noteName(place, digest), manifest);
      return digest;
    });
  }

  /** A manifest, from the cache of callers with the same credentials; fetched when it is not cached. */
  async manifest(ctx: Ctx, place: RegistryRepository, digest: Digest): Promise<ArtifactManifest> {
    const name = noteName(place, digest);
    const what = `${place.shown}@${digest}`;
    const known = (await this.#deps.blobs.note(ctx, name)) as ArtifactManifest | undefined;
    const manifest = known ?? (await this.#read(ctx, place, digest, what));
    refuseMediaType(manifest, what, this.#deps.rules().mediaTypes);
    if (!known) await this.#deps.blobs.setNote(ctx, name, manifest);
    return manifest;
  }

  async #read(ctx: Ctx, place: RegistryRepository, digest: Digest, what: string): Promise<ArtifactManifest> {
    const { mediaType, bytes } = await this.#reported(
      ctx,
      place,
      { type: 'digest-metadata', revision: digest },
      () => this.registry.manifest(ctx, place, digest),
    );
    return readManifest(bytes, { mediaType, what });
  }

  /** Downloads the content of a manifest to disk unless it is there. */
  async bring(
    ctx: Ctx,
    place: RegistryRepository,
    { content }: ArtifactManifest,
    fresh: boolean,
  ): Promise<void> {
    if (!fresh && (await this.#deps.blobs.has(content.digest))) return;
    await this.#blobs.run(ctx, `${place.identity} ${content.digest}`, (shared) =>
      this.#reported(shared, place, { type: 'extract', revision: content.digest }, () =>
        this.registry.fetchBlob(shared, place, content),
      ).catch((error: unknown) => {
        throw named(error, `the content of ${place.shown}`);
      }),
    );
  }

  #reported<Value>(
    ctx: Ctx,
    { shown }: RegistryRepository,
    requested: ArtifactRequest,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const request = { repo: `oci://${shown}`, ...requested };
    return orFailed(ctx, this.#observe, request, () => reportRequest(this.#observe, request, work));
  }
}

const noteName = (place: RegistryRepository, digest: Digest): string =>
  `manifest ${place.identity} ${digest}`;

/** Artifacts of registries that are sources themselves (sources 1.8). A revision is the digest of a manifest. */
export class Artifacts implements ChartSource {
  readonly #deps: ChartSourceDeps;
  readonly #registry: CachedRegistry;

  constructor(deps: ChartSourceDeps, registry: CachedRegistry) {
    this.#deps = deps;
    this.#registry = registry;
  }

  /** compat sources OCI-1: a digest, else a tag, else the newest tag within a range. No revision is `latest`. */
  async resolve(ctx: Ctx, wanted: SourceRepository, revision: string, age: RefAge): Promise<ResolvedChart> {
    const place = registryRepository(wanted);
    const text = revision.trim() || 'latest';
    if (isDigest(text)) return { commit: text, warnings: [] };
    const constraint = parseConstraint(text);
    const tag = tagOf(text);
    if (tagShape.test(tag)) {
      const found = await this.#registry.digest(ctx, place, tag, age).catch((error: unknown) => {
        if (!constraint || !(error instanceof FairleadError) || error.code !== 'NotFound') throw error;
      });
      if (found !== undefined) return { commit: found, why: `tag ${tag} stands for it`, warnings: [] };
    }
    const tags = await this.#registry.tags(ctx, place, age);
    const choice = newestWithin(tags.map(versionOf), text);
    if (!choice) throw noTag(place.shown, text);
    // dev sources DEV-9: the version is converted back to its tag before the registry is queried
    const digest = await this.#registry.digest(ctx, place, tagOf(choice.version), age);
    return { commit: digest, why: choice.why, warnings: [] };
  }

  async open(
    ctx: Ctx,
    wanted: SourceRepository,
    digest: string,
    { links = 'inside', fresh = false }: ChartSourceOptions,
  ): Promise<FileTree> {
    const place = registryRepository(wanted);
    if (!isDigest(digest)) {
      throw new FairleadError(
        'InvalidSpec',
        `${JSON.stringify(digest)} is no digest: resolve the revision first`,
      );
    }
    const manifest = await this.#registry.manifest(ctx, place, digest);
    await this.#registry.bring(ctx, place, manifest, fresh);
    const { artifactBytes, archiveEntries: entries } = this.#deps.limits;
    const bytes = lower(artifactBytes, this.#deps.rules().artifactBytes);
    const tree = await this.#deps.archives.tree(ctx, manifest.content.digest, {
      what: `artifact ${place.shown}@${digest}`,
      root: manifest.isChart ? { only: true } : '', // compat sources OCI-4
      limits: { bytes, fileBytes: bytes, entries },
    });
    if (!tree)
      throw new FairleadError('Unavailable', `artifact ${place.shown} was evicted from the cache: try again`);
    if (links === 'inside') refuseEscape(tree, 'oci image');
    return tree;
  }

  /** The annotations of the manifest. */
  async annotations(
    ctx: Ctx,
    wanted: SourceRepository,
    digest: string,
  ): Promise<ArtifactManifest['annotations']> {
    return (await this.#registry.manifest(ctx, registryRepository(wanted), digest)).annotations;
  }
}

const noTag = (shown: string, revision: string): FairleadError =>
  new FairleadError(
    'NotFound',
    `${shown} has no tag within ${revision}: check targetRevision against the tags there`,
  );

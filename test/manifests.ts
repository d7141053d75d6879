import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { findTool, type Tool } from '#platform/exec';
import { type MemoryStore, memoryStore } from '#platform/store';
import { createManifests, type EngineTools, type ManifestRequest, type Manifests } from '#sources/manifests';
import { createSources, type Sources } from '#sources/repositories';
import { type GitRepositoryFixture, gitRepository, temporaryFolder } from './git-repository.ts';

/** Real everything: a repository, git, helm and kustomize, in a folder that goes away. */
export type ManifestsFixture = {
  readonly ctx: Ctx;
  readonly folder: string;
  readonly repo: GitRepositoryFixture;
  readonly sources: Sources;
  readonly manifests: Manifests;
  readonly store: MemoryStore;
  readonly tools: EngineTools;
  readonly helm: Tool;
  readonly kustomize: Tool;
  /** Another renderer over the same store, as after a restart. */
  restarted(): Manifests;
  request(source: Partial<Source>, more?: Partial<ManifestRequest>): ManifestRequest;
  /** The names of what a source renders to. */
  names(source: Partial<Source>, more?: Partial<ManifestRequest>): Promise<string[]>;
  close(): Promise<void>;
};

/** Unpacked once for all tests; what is unpacked is keyed by its content. */
export const toolCache = join(tmpdir(), 'fairlead-test-tools');

export const gitCommand = (): { command: string } => ({
  command: execFileSync('which', ['git'], { encoding: 'utf8' }).trim(),
});

/** `loopback`: servers of the test may be repositories too. */
export async function manifestsFixture({ loopback = false } = {}): Promise<ManifestsFixture> {
  const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const folder = await temporaryFolder();
  const cacheDir = join(folder.path, 'cache');
  const tools = { searchPath: '', cacheDir: toolCache };
  const repo = await gitRepository(join(folder.path, 'repo'));
  const sources = createSources({ cacheDir, git: gitCommand(), reach: { local: [folder.path], loopback } });
  const store = memoryStore();
  const manifests = createManifests({ cacheDir, sources, tools, store });
  const request: ManifestsFixture['request'] = (source, more = {}) => ({
    app: { name: 'shop', project: 'default' },
    sources: [{ repoURL: repo.dir, targetRevision: 'main', path: '.', ...source }],
    destinationNamespace: 'shop-ns',
    kube: { version: 'v1.33.4+build', apiVersions: ['serving.knative.dev/v1'] },
    refs: { fresh: true },
    ...more,
  });
  return {
    ctx,
    folder: folder.path,
    repo,
    sources,
    manifests,
    store,
    tools,
    helm: await findTool(ctx, 'helm', tools),
    kustomize: await findTool(ctx, 'kustomize', tools),
    restarted: () => createManifests({ cacheDir: `${cacheDir}-restarted`, sources, tools, store }),
    request,
    names: async (source, more) => {
      const { objects } = await manifests.generate(ctx, request(source, more));
      return objects.map((object) => object.metadata.name);
    },
    close: async () => {
      await manifests.close();
      await sources.close();
      await folder.remove();
    },
  };
}

export const configMap = (name: string, data = 'x: "1"'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  ${data}\n`;

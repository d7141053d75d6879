import { decodeText, type FileTree, sameRepo, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { MissingDependency } from '#sources/render';
import type { ChartArchive, SourceRepository, Sources } from '#sources/repositories';
import { markNetworkError } from './network-error.ts';
import { isPermitted, notPermitted, openRemoteTree, type RemoteTree } from './remote-tree.ts';
import type { ManifestRequest } from './request.ts';
import type { RemotePointer } from './trace.ts';

/** Network access of a render, with the credentials it may use. */
export type Web = {
  /**
   * The archive of a chart that another depends on. Throws PermissionDenied where the project forbids it (sources
   * HDP-2).
   */
  chart(ctx: Ctx, dependency: MissingDependency): Promise<ChartArchive>;
  /** The same, unpacked. */
  chartFiles(ctx: Ctx, dependency: MissingDependency): Promise<FileTree>;
  /** The URL of a repository that a dependency names; a URL is returned unchanged. */
  urlOf(repository: string): string;
  /** The text of a value file from a URL (sources PATH-3). */
  text(ctx: Ctx, url: string): Promise<string>;
  /** Opens a base or a file that a kustomization names by its URL (sources KL-5, KL-6). */
  elsewhere(ctx: Ctx, pointer: RemotePointer): Promise<RemoteTree>;
};

/** The network access of one request for the URLs in the files of `own`. */
export function webOf(
  sources: Pick<Sources, 'chartArchive' | 'readUrl' | 'resolveRevision' | 'openTree' | 'verify'>,
  request: ManifestRequest,
  own: SourceRepository | undefined,
): Web {
  const urlOf = (repository: string): string => namedUrl(request, repository);
  const requested = async <Value>(
    { name, repository, version }: MissingDependency,
    fetch: (wanted: SourceRepository, version: string) => Promise<Value>,
  ): Promise<Value> => {
    const url = urlOf(repository);
    const isOurs = isPermitted(request, url);
    // compat sources CRED-10: records are for applications that the project permits; any may connect without
    // credentials
    const record = isOurs ? recordOf(request, url) : { url };
    try {
      return await fetch({ ...record, url, chart: name }, version || '*');
    } catch (error) {
      if (!(error instanceof FairleadError)) throw error;
      throw markNetworkError(
        isOurs ? missing(name, url, error) : notPermittedChart(url, request.app.project, error),
      );
    }
  };
  return {
    urlOf,
    elsewhere: (ctx, pointer) => openRemoteTree(ctx, { sources, request, own }, pointer),
    chart: (ctx, dependency) =>
      requested(dependency, (wanted, version) => sources.chartArchive(ctx, wanted, version)),
    chartFiles: (ctx, dependency) =>
      requested(dependency, async (wanted, version) => {
        const { commit } = await sources.resolveRevision(ctx, wanted, version);
        return sources.openTree(ctx, wanted, commit);
      }),
    text: async (ctx, url) => {
      // dev sources PATH-3: Argo CD lets any project fetch value files from anywhere
      if (!isPermitted(request, url)) {
        const { code, message } = notPermitted(request, url);
        throw markNetworkError(
          new FairleadError(code, `value file ${withoutUserInfo(url)} cannot be used: ${message}`),
        );
      }
      const age = request.refresh === 'hard' ? { fresh: true } : (request.refs ?? {});
      try {
        return decodeText(await sources.readUrl(ctx, url, age));
      } catch (error) {
        throw markNetworkError(error);
      }
    },
  };
}

/** compat sources HDP-1: `@name` and `alias:name` name repositories. */
function namedUrl({ chartRepositories }: ManifestRequest, repository: string): string {
  const name = /^(?:@|alias:)(.+)$/.exec(repository)?.[1];
  if (name === undefined) return repository;
  const record = chartRepositories?.list().find((one) => one.name === name);
  if (record) return record.url;
  throw markNetworkError(
    new FairleadError(
      'NotFound',
      `a chart depends on repository ${repository}, and no repository is named ${name}: add one of that name and type helm, or write its URL`,
    ),
  );
}

/** compat sources HDP-1: the record of this URL or its template; for registries also of a part of it, or it of one. */
function recordOf({ repositoryOf, chartRepositories }: ManifestRequest, url: string): SourceRepository {
  const own = repositoryOf?.(url) ?? { url };
  if (hasLogin(own)) return own;
  const records = chartRepositories?.list() ?? [];
  const exact = records.find((one) => sameRepo(one.url, url) && hasLogin(one));
  if (exact) return exact;
  if (!url.startsWith('oci://')) return own;
  const place = bare(url);
  const near = records.find(
    (one) => isRegistry(one) && (isPart(bare(one.url), place) || isPart(place, bare(one.url))),
  );
  return near ?? own;
}

const hasLogin = ({ credentials = {} }: SourceRepository): boolean =>
  Object.values(credentials).some(Boolean);
const isRegistry = ({ url, enableOci = false }: SourceRepository): boolean =>
  enableOci || url.startsWith('oci://') || !url.includes('://');
const bare = (url: string): string =>
  url
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/\/+$/, '')
    .toLowerCase();
const isPart = (part: string, whole: string): boolean => whole === part || whole.startsWith(`${part}/`);

const missing = (name: string, url: string, cause: FairleadError): FairleadError =>
  new FairleadError(
    cause.code,
    `the source depends on chart ${name} from ${withoutUserInfo(url)}, which cannot be had: ${cause.message}`,
    cause,
  );

/** compat sources HDP-2. */
function notPermittedChart(url: string, project: string | undefined, cause: FairleadError): FairleadError {
  const shown = withoutUserInfo(url);
  const message = `helm repos ${shown} are not permitted in project '${project ?? 'default'}'`;
  return new FairleadError('PermissionDenied', message, cause);
}

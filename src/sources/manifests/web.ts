import { decodeText, type FileTree, sameRepo, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { MissingDependency } from '#sources/render';
import type { ChartArchive, SourceRepository, Sources } from '#sources/repositories';
import { markNetworkError } from './network-error.ts';
import { isPermitted, notPermitted, openRemoteTree, type RemoteTree } from './remote-tree.ts';
import type { ManifestRequest } from './request.ts';
import type { RemotePointer } from './trace.ts';

/** What a render may ask the network for, and as whom. */
export type Web = {
  /** The archive of a chart that another depends on. Throws PermissionDenied where the project is the reason (HDP-2). */
  chart(ctx: Ctx, dependency: MissingDependency): Promise<ChartArchive>;
  /** The same, unpacked. */
  chartFiles(ctx: Ctx, dependency: MissingDependency): Promise<FileTree>;
  /** The URL of a repository that a dependency names; what is no name is returned as it is. */
  urlOf(repository: string): string;
  /** The text of a value file from a URL (PATH-3). */
  text(ctx: Ctx, url: string): Promise<string>;
  /** A base or a file that a kustomization names by its URL (KL-5, KL-6). */
  elsewhere(ctx: Ctx, pointer: RemotePointer): Promise<RemoteTree>;
};

/** The network as one request may use it for what the files of `own` name. */
export function webOf(
  sources: Pick<Sources, 'chartArchive' | 'readUrl' | 'resolveRevision' | 'openTree' | 'verify'>,
  request: ManifestRequest,
  own: SourceRepository | undefined,
): Web {
  const urlOf = (repository: string): string => namedUrl(request, repository);
  const asked = async <Value>(
    { name, repository, version }: MissingDependency,
    ask: (wanted: SourceRepository, version: string) => Promise<Value>,
  ): Promise<Value> => {
    const url = urlOf(repository);
    const isOurs = isPermitted(request, url);
    // compat CRED-10: records are for those the project lets use them; anybody may ask as nobody
    const record = isOurs ? recordOf(request, url) : { url };
    try {
      return await ask({ ...record, url, chart: name }, version || '*');
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
      asked(dependency, (wanted, version) => sources.chartArchive(ctx, wanted, version)),
    chartFiles: (ctx, dependency) =>
      asked(dependency, async (wanted, version) => {
        const { commit } = await sources.resolveRevision(ctx, wanted, version);
        return sources.openTree(ctx, wanted, commit);
      }),
    text: async (ctx, url) => {
      // dev PATH-3: Argo CD lets any project fetch value files from anywhere
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

/** compat HDP-1: `@name` and `alias:name` are repositories by their name. */
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

/** compat HDP-1: the record of this very URL or its template; for registries also one that is a part of it, or it of one. */
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

/** compat HDP-2. */
function notPermittedChart(url: string, project: string | undefined, cause: FairleadError): FairleadError {
  const shown = withoutUserInfo(url);
  const message = `helm repos ${shown} are not permitted in project '${project ?? 'default'}'`;
  return new FairleadError('PermissionDenied', message, cause);
}

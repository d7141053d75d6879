import type { AppProject, KubeObject, Repository, Settings } from '#base/model';
import type { Ctx } from '#base/std';
import type { Clusters } from '#control/live';
import type { KubeClient } from '#kubernetes/client';
import type { Sources, WebAnswer, WebRequest } from '#sources/repositories';
import type { HostReading, ScmClient, ScmDeps } from '#sources/scm';

/** Everything that the generators of a set read. */
export type GeneratorDeps = {
  /** The cluster of the control plane: it has the sets, their Secrets and the decision resources. */
  readonly kube: Pick<KubeClient, 'find' | 'list' | 'catalog' | 'invalidate'>;
  readonly sources: Pick<Sources, 'resolveRevision' | 'openTree' | 'verify'>;
  readonly clusters: Pick<Clusters, 'secrets' | 'knows'>;
  readonly projects: { get(namespace: string, name: string): AppProject | undefined };
  settings(): Settings;
  /** The repository, with the credentials of a project; an empty project: those that belong to none. */
  repositoryOf(url: string, project: string): Repository;
  /** The armoured keys that commits may be signed with; undefined: nothing is verified. */
  keyring(): readonly string[] | undefined;
  /** Requests to Git hosts and plugins, by the rules for all outgoing connections. */
  readonly hosts: ScmClient;
  request: (ctx: Ctx, request: WebRequest) => Promise<WebAnswer>;
  /** The AWS identity of this process; left out: `awsCodeCommit` is refused. */
  readonly aws?: ScmDeps['aws'];
  /** Receives the requests that a set sends to GitHub, for metrics; left out: no metrics. */
  readonly onGithubRequest?: (
    set: { readonly namespace: string; readonly name: string },
    reading: HostReading,
  ) => void;
  /** The control plane's own namespace. */
  readonly namespace: string;
};

/** How old the advertised branches of a repository may be. */
export type RevisionAge = 'cached' | 'fresh' | { readonly since: number };

export type SecretView = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** A Secret of the control plane's cluster; undefined when there is none. */
export async function findSecret(
  ctx: Ctx,
  kube: GeneratorDeps['kube'],
  namespace: string,
  name: string,
): Promise<SecretView | undefined> {
  return (await kube.find(ctx, { apiVersion: 'v1', kind: 'Secret', namespace, name })) as
    | SecretView
    | undefined;
}

import type { GeneratorDeps } from '#control/generators';
import type { GithubMetrics } from '#serve/metrics';
import { fetchWeb, type Outside } from '#sources/repositories';
import { ScmClient } from '#sources/scm';
import type { Config } from './config.ts';

type Given = Omit<GeneratorDeps, 'hosts' | 'request' | 'aws' | 'onGithubRequest'> & {
  readonly trust: () => Outside['trust'];
  readonly github?: GithubMetrics | undefined;
};

/** What the generators of ApplicationSets read: hosts by the same rules as repositories. Close `hosts` to end connections. */
export function openGenerators({ reach, proxy }: Config, { trust, github, ...given }: Given): GeneratorDeps {
  const outside = (): Outside => ({ egress: reach, trust: trust(), proxy });
  return {
    ...given,
    hosts: new ScmClient({ outside }),
    request: (ctx, request) => fetchWeb(ctx, outside(), request),
    ...(github && { onGithubRequest: github.requested }),
  };
}

import { type Application, projectName } from '#base/model';

/**
 * The concurrency-limit keys of manifest generation: each repository, its host, and the project, so that none of them
 * occupies all workers.
 */
export function sourceLimitKeys(urls: readonly string[], app: Application): string[] {
  if (urls.length === 0) return [];
  const needs = urls.flatMap((url) => {
    const host = hostIn(url);
    return host ? [`repository ${url}`, `host ${host}`] : [`repository ${url}`];
  });
  return [...new Set([...needs, `project ${projectName(app)}`])];
}

/** The host of a URL or of `user@host:path`; undefined for a folder of this machine. */
export const hostIn = (url: string): string | undefined =>
  /^(?!file:)(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:@]+)(?=[:/]|$)/i
    .exec(url)?.[1]
    ?.toLowerCase();

import { FairleadError } from '#base/std';
import { type HostAccess, hostAccessAt, type SourceRepository } from '../source-repository.ts';

/** A repository of a registry, and our credentials for it. */
export type RegistryRepository = HostAccess & {
  /** The origin of the registry's API. */
  readonly origin: string;
  /** The repository's name within it. */
  readonly name: string;
  /** Credentials are sent without a challenge. */
  readonly forceBasic: boolean;
};

const part = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const nameShape = new RegExp(`^${part}(?:/${part})*$`);

/**
 * Parses `oci://host/path` or `host/path`; a chart is one more part of the path. dev sources DEV-6: plain http is a setting of
 * this repository alone, whatever others set. Throws InvalidSpec for a name that no registry can have.
 */
export function registryRepository(wanted: SourceRepository): RegistryRepository {
  const bare = wanted.url.trim().replace(/^(?:oci|https?):\/\//i, '');
  const scheme = wanted.insecureOciForceHttp ? 'http' : 'https';
  const standing = hostAccessAt(`${scheme}://${bare}`, wanted);
  const { url } = standing;
  const path = decodeURI(url.pathname).split('/').filter(Boolean);
  const name = [...path, ...(wanted.chart ?? '').split('/').filter(Boolean)].join('/');
  const shown = `${url.host}/${name}`;
  if (!nameShape.test(name) || name.length > 255) {
    throw new FairleadError(
      'InvalidSpec',
      `${shown} is no name of a repository in a registry: lower-case words between slashes, and the tag or digest goes into targetRevision`,
    );
  }
  // docker.io is served under another name
  const host = url.host === 'docker.io' || url.host === 'index.docker.io' ? 'registry-1.docker.io' : url.host;
  return {
    ...standing,
    shown,
    origin: `${url.protocol}//${host}`,
    name,
    identity: `${standing.identity} ${name}`,
    forceBasic: wanted.forceHttpBasicAuth ?? false,
  };
}

/** compat sources HOC-1: a tag cannot contain `+`, which versions may. */
export const tagOf = (version: string): string => version.replaceAll('+', '_');
export const versionOf = (tag: string): string => tag.replaceAll('_', '+');

import { createHash } from 'node:crypto';
import { type Repository, withoutUserInfo } from '#base/model';
import { FairleadError } from '#base/std';
import type { GitRepository } from './git/repository.ts';
import type { Terms } from './web/request.ts';
import { clientCertificate } from './web/trust.ts';

/** A requested source: a Git repository, a chart of a repository or a registry, or an artifact. A whole record fits. */
export type SourceRepository = GitRepository &
  Partial<Pick<Repository, 'enableOci' | 'insecureOciForceHttp' | 'forceHttpBasicAuth'>> & {
    /** The chart's name; left out for the other kinds. */
    readonly chart?: string;
    /** Credentials may be sent to any URL in the index of a chart repository (sources HRP-3). */
    readonly passCredentials?: boolean;
  };

export type SourceKind = 'git' | 'chart' | 'registry-chart' | 'artifact';

/**
 * Which provider serves a source.
 * compat sources SRC-9: a chart is in a registry where the record sets that, or where the URL has no scheme.
 * dev sources DEV-1: `oci://` with a chart is a chart in a registry.
 */
export function sourceKind({ url, chart, enableOci }: SourceRepository): SourceKind {
  if (!chart) return /^oci:\/\//i.test(url.trim()) ? 'artifact' : 'git';
  return enableOci || /^oci:\/\//i.test(url.trim()) || !url.includes('://') ? 'registry-chart' : 'chart';
}

/** An HTTP host with our credentials and connection settings. */
export type HostAccess = {
  readonly shown: string;
  /** Without user-info. */
  readonly url: URL;
  readonly basic: string | undefined;
  readonly bearer: string | undefined;
  readonly terms: Terms;
  /** Identifies the URL and the credentials: nothing fetched under one is shared with another. */
  readonly identity: string;
};

/** Throws InvalidSpec for an invalid record or URL, Auth for an invalid certificate. */
export function hostAccessAt(url: string, repository: SourceRepository): HostAccess {
  const shown = withoutUserInfo(url);
  if (repository.problem) {
    throw new FairleadError('InvalidSpec', `the Secret of repository ${shown}: ${repository.problem}`);
  }
  const place = parsed(url);
  if (!place || !/^https?:$/.test(place.protocol)) {
    throw new FairleadError('InvalidSpec', `repository URL ${shown} cannot be read: correct repoURL`);
  }
  const { credentials = {}, insecure, proxy, noProxy } = repository;
  if (credentials.useAzureWorkloadIdentity) {
    throw new FairleadError(
      'InvalidSpec',
      `not supported yet: useAzureWorkloadIdentity of repository ${shown}; give it a username and password, or a bearer token`,
    );
  }
  const username = credentials.username ?? decodeURIComponent(place.username);
  const password = credentials.password ?? decodeURIComponent(place.password);
  place.username = '';
  place.password = '';
  place.hash = '';
  const who = [credentials, username, password, insecure];
  return {
    shown,
    url: place,
    basic: username || password ? `Basic ${base64(`${username}:${password}`)}` : undefined,
    bearer: credentials.bearerToken ? `Bearer ${credentials.bearerToken.replace(/[\r\n]+/g, '')}` : undefined,
    terms: { insecure, proxy, noProxy, certificate: clientCertificate(credentials, shown) },
    identity: `${place.href} ${createHash('sha256').update(JSON.stringify(who)).digest('hex')}`,
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

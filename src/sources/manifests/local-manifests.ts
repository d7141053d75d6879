import { withoutUserInfo } from '#base/model';
import { FairleadError } from '#base/std';
import { inSteps } from '#platform/workers';
import { readManifests } from '#sources/render';
import type { GeneratedManifests, ManifestRequest } from './request.ts';

/**
 * compat engine R-18: manifests that the user supplies replace those of the sources, and no repository is queried.
 * compat engine P-19: not where commits must be signed, because these are unsigned.
 */
export async function localManifests(
  { sources, integrityOf }: Pick<ManifestRequest, 'sources' | 'integrityOf'>,
  texts: readonly string[],
): Promise<GeneratedManifests> {
  const guarded = sources.find((source) => integrityOf?.(source));
  if (guarded) {
    throw new FairleadError(
      'PolicyFailed',
      `manifests from elsewhere cannot stand in for ${withoutUserInfo(guarded.repoURL)}, whose commits the project wants signed: sync what is in Git`,
    );
  }
  const objects = [];
  for (const [at, text] of texts.entries()) {
    objects.push(...(await inSteps(readManifests(text, `operation.sync.manifests[${at}]`))));
  }
  return {
    objects,
    revisions: sources.map(() => ''),
    sourceTypes: [],
    commands: [],
    mayHaveChanges: true,
    cached: false,
    why: 'the manifests came with an operation',
    warnings: [],
    inputs: [],
  };
}

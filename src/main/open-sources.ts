import { join } from 'node:path';
import { createSources, type Sources, type SourcesConfig } from '#sources/repositories';
import type { Config } from './config.ts';

/** The git program, and its capabilities. */
export type GitTool = SourcesConfig['git'];

/**
 * The sources of a process on a cluster. Everything that decides what they may reach comes from the configuration, so that a
 * test which reads one has the same restrictions as the program.
 */
export function openSources(
  { dataDir, reach, proxy, azure }: Pick<Config, 'dataDir' | 'reach' | 'proxy' | 'azure'>,
  git: GitTool,
  more: Pick<SourcesConfig, 'trust' | 'rules' | 'requestMs' | 'observe' | 'accepted'> = {},
): Sources {
  return createSources({
    cacheDir: join(dataDir, 'cache/git'),
    git,
    reach,
    proxy,
    ...(azure && { azure }),
    ...more,
  });
}

import { join } from 'node:path';
import { createSources, type Sources, type SourcesConfig } from '#sources/repositories';
import type { Config } from './config.ts';

/** The git program, and what it can do. */
export type GitTool = SourcesConfig['git'];

/**
 * The sources of a process on a cluster. All that decides what they may reach comes from the configuration, so that a test
 * which reads one has the defences of the program.
 */
export function openSources(
  { dataDir, reach, proxy, azure }: Pick<Config, 'dataDir' | 'reach' | 'proxy' | 'azure'>,
  git: GitTool,
  more: Pick<SourcesConfig, 'trust' | 'rules' | 'observe'> = {},
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

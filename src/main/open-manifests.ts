import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool } from '#platform/exec';
import type { OpenManifests } from '#serve/cli';
import { createManifests } from '#sources/manifests';
import { createSources } from '#sources/repositories';
import { readConfig, shipped } from './config.ts';
import { readPlugins } from './read-plugins.ts';

/** A renderer for one command: everything it fetches and writes is deleted with it. */
export function openManifests(env: Readonly<Record<string, string | undefined>>): OpenManifests {
  return async (ctx, { plugins: dir }) => {
    const { searchPath, toolsDir, proxy, machine, azure, pluginsDir } = readConfig({ plugins: dir }, env);
    const tools = { searchPath, cacheDir: toolsDir, plugins: await readPlugins(pluginsDir) };
    const git = await findTool(ctx, 'git', tools);
    const knownHosts = await readFile(shipped.knownHosts, 'utf8');
    const cacheDir = await mkdtemp(join(tmpdir(), 'fairlead-render-'));
    const sources = createSources({
      cacheDir: join(cacheDir, 'git'),
      git,
      reach: { local: 'any', loopback: true }, // it acts for the user who typed the command, on their machine
      trust: () => ({ certificates: {}, knownHosts, machine }),
      proxy,
      ...(azure && { azure }),
    });
    const manifests = createManifests({ cacheDir, sources, tools });
    return {
      manifests,
      close: async () => {
        await manifests.close();
        await sources.close();
        await rm(cacheDir, { recursive: true, force: true });
      },
    };
  };
}

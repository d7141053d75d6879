import type { ApplicationSet, SetGenerator } from '#base/model';
import { isObject } from '#base/std';
import { hostIn } from '../application/pacing/source-limit-keys.ts';
import { generatorsOf } from './triggers/object-changes.ts';

/**
 * The concurrency-limit keys of a set: the hosts that its generators query, and its project, so that neither a host nor
 * a project that hangs occupies all workers. Empty where no generator queries a host.
 */
export function generatorLimitKeys({ spec, unreadable }: ApplicationSet): string[] {
  if (unreadable) return [];
  const hosts = [...generatorsOf(spec.generators)].flatMap(hostsOf);
  if (hosts.length === 0) return [];
  const project = spec.template.spec?.project || 'default';
  return [...new Set(hosts.map((host) => `host ${host}`)), `project ${project}`];
}

function hostsOf({ git, scmProvider, pullRequest, plugin }: SetGenerator): string[] {
  const found = [scmProvider, pullRequest].flatMap((provider) =>
    Object.entries(provider ?? {}).flatMap(apiHost),
  );
  if (plugin) found.push(plugin.configMapRef.name);
  const repository = git && hostIn(git.repoURL);
  return repository ? [...found, repository] : found;
}

/** The host of a provider's API; for one with a single API its name stands for it. */
function apiHost([provider, fields]: [string, unknown]): string[] {
  if (!isObject(fields)) return [];
  const host = typeof fields.api === 'string' && fields.api ? hostIn(fields.api) : undefined;
  return [host ?? provider];
}

import {
  type Application,
  type ApplicationSpec,
  effectiveSources,
  hasMultipleSources,
  type Source,
} from '#base/model';
import { isObject } from '#base/std';

/**
 * compat engine A-17: the Application without the empty fields of its spec, and with its project named.
 * Returns the same object when there is nothing to do: this runs in every pass.
 */
export function normalizeSpec(app: Application): Application {
  const { spec, unreadable } = app;
  // what could not be read is not there: a spec without it must not be written over the stored one
  if (unreadable || !spec || isNormal(spec)) return app;
  const { syncPolicy, ...rest } = spec;
  const kept = syncPolicy && isSaying(syncPolicy) ? { syncPolicy } : {};
  return { ...app, spec: { ...rest, ...kept, project: spec.project || 'default', ...sourcesOf(spec) } };
}

function isNormal(spec: ApplicationSpec): boolean {
  const { project, syncPolicy } = spec;
  if (!project || (syncPolicy && !isSaying(syncPolicy))) return false;
  return spec.sourceHydrator !== undefined || effectiveSources(spec).every((one) => tidied(one) === one);
}

/** Only the effective sources: a source beside sources has no effect. */
function sourcesOf(spec: ApplicationSpec): Partial<ApplicationSpec> {
  if (spec.sourceHydrator) return {};
  if (hasMultipleSources(spec)) return { sources: (spec.sources ?? []).map(tidied) };
  return spec.source ? { source: tidied(spec.source) } : {};
}

function tidied(source: Source): Source {
  const { helm, kustomize, directory, ...rest } = source;
  const isEmpty = [helm, kustomize, directory].some((block) => block && !isSaying(block));
  if (!isEmpty) return source;
  return {
    ...rest,
    ...(helm && isSaying(helm) && { helm }),
    ...(kustomize && isSaying(kustomize) && { kustomize }),
    ...(directory && isSaying(directory) && { directory }),
  };
}

/** compat engine A-16: for these fields the presence alone has a meaning. */
const saidByPresence: ReadonlySet<string> = new Set(['automated', 'retry', 'managedNamespaceMetadata']);

/** Whether anything in a block differs from its being absent. */
function isSaying(block: object): boolean {
  return Object.entries(block).some(([name, value]) => {
    return isSaid(value) || (saidByPresence.has(name) && isObject(value));
  });
}

function isSaid(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObject(value) || isSaying(value);
}

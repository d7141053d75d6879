import { type FileTree, joinPath, normalizeSource, type Source } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';

/** compat sources OVR-3, dev sources DEV-12: the fields that an override file cannot change. */
const kept = ['repoURL', 'path', 'targetRevision', 'chart', 'ref', 'name', 'tagPrefix'] as const;

/** The source after the override files in its folder (sources 1.12). `app` is the instance name. */
export async function withOverrides(
  tree: FileTree,
  path: string,
  source: Source,
  app: string,
): Promise<Source> {
  const names = tree.list(path); // most folders have none, and this runs for every application
  let merged: Source = source;
  for (const name of ['.argocd-source.yaml', `.argocd-source-${app}.yaml`]) {
    if (!names.includes(name)) continue;
    const file = joinPath(path, name);
    const real = tree.resolve(file);
    if (real === undefined || tree.kind(real) !== 'file') continue;
    merged = mergePatch(merged, await readOverride(tree, file)) as Source;
  }
  if (merged === source) return source;
  const restored = { ...merged };
  for (const field of kept) {
    delete restored[field];
    if (source[field] !== undefined) Object.assign(restored, { [field]: source[field] });
  }
  return normalizeSource(restored);
}

async function readOverride(tree: FileTree, file: string): Promise<Record<string, unknown>> {
  const fail = (reason: string): FairleadError =>
    new FairleadError('InvalidSpec', `error while parsing source parameters: ${file}: ${reason}`); // compat sources OVR-5
  let value: unknown;
  try {
    value = parse(await tree.text(file));
  } catch (error) {
    throw fail(FairleadError.from(error).message);
  }
  if (value === null) return {};
  if (!isObject(value)) throw fail('it must be a map of source fields');
  return value;
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, mergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

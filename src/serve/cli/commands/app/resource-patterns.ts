import type { Application, ResourceStatus } from '#base/model';
import { glob } from '#engine';
import type { SyncRequest } from '#serve/api';
import { ExitError, usageExitCode } from '../../io.ts';

type Pattern = {
  readonly isExcluded: boolean;
  readonly group: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
};

/** compat server §8.4: `[!]GROUP:KIND:[NAMESPACE/]NAME`, with `*` in any part. */
export function patternOf(text: string): Pattern {
  const isExcluded = text.startsWith('!');
  const [group, kind, rest, ...more] = text.slice(isExcluded ? 1 : 0).split(':');
  if (group === undefined || !kind || !rest || more.length > 0) {
    throw new ExitError(
      usageExitCode,
      `--resource ${text}: want group:kind:name or group:kind:namespace/name`,
    );
  }
  const [first = '', second] = rest.split('/', 2);
  const [namespace, name] = second === undefined ? [undefined, first] : [first, second];
  return { isExcluded, group, kind, namespace, name };
}

/** Whether a resource is one of those that the patterns select; with exclusions only, all others are. */
export function matcherOf(patterns: readonly Pattern[]): (resource: ResourceStatus) => boolean {
  const included = patterns.filter(({ isExcluded }) => !isExcluded);
  const excluded = patterns.filter(({ isExcluded }) => isExcluded);
  return (resource) =>
    (included.length === 0 || included.some((one) => isMatch(one, resource))) &&
    !excluded.some((one) => isMatch(one, resource));
}

function isMatch(pattern: Pattern, { group = '', kind, namespace = '', name }: ResourceStatus): boolean {
  return (
    isLike(pattern.group, group) &&
    isLike(pattern.kind, kind) &&
    (pattern.namespace === undefined || isLike(pattern.namespace, namespace)) &&
    isLike(pattern.name, name)
  );
}

const isLike = (pattern: string, text: string): boolean => pattern === text || glob(pattern, text);

/** Resources without patterns, as they are sent; the others are looked up in what the application has. */
export function selectedResources(
  app: Application,
  texts: readonly string[],
): NonNullable<SyncRequest['resources']> {
  const patterns = texts.map(patternOf);
  if (!texts.some((text) => /[*?[!]/.test(text)))
    return patterns.map(({ group, kind, namespace, name }) => ({
      ...{ group, kind, name },
      ...(namespace !== undefined && { namespace }),
    }));
  const isSelected = matcherOf(patterns);
  const found = (app.status?.resources ?? []).filter((one) => !one.hook && isSelected(one));
  if (found.length === 0)
    throw new ExitError(
      20,
      `no resource of application '${app.metadata.name}' matches --resource ${texts.join(', ')}`,
    );
  return found.map(({ group = '', kind, namespace = '', name }) => ({ group, kind, name, namespace }));
}

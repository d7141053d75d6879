import { isObject, parseJson, printJson } from '#base/std';
import type { ServedResponse } from '../request.ts';
import { injected, type StatusError } from '../status.ts';

type Document = { readonly path: string; readonly answer: ServedResponse; readonly accept: string };
type Hidden = (group: string) => 'missing' | 'stale' | undefined;

/**
 * compat cluster 5.8: discovery in which some groups are missing, or marked stale as if their server were
 * unreachable.
 */
export function withoutGroups(
  { path, answer, accept }: Document,
  hidden: Hidden,
  refusal: (error: StatusError) => ServedResponse,
): ServedResponse {
  const [, , group, version] = path.split('/');
  if (group) {
    const fate = hidden(group);
    if (fate === 'missing') return refusal(injected(404, 'the server could not find the requested resource'));
    const isStale = fate === 'stale' && version !== undefined;
    return isStale ? refusal(injected(503, 'service unavailable')) : answer;
  }
  if (typeof answer.body !== 'string' || answer.body === '') return answer;
  const { etag: _etag, ...headers } = answer.headers;
  const document = parseJson(answer.body);
  if (!isObject(document)) return answer;
  const next = accept.includes('APIGroupDiscoveryList')
    ? aggregated(document, hidden)
    : legacy(document, hidden);
  return { ...answer, headers, body: `${printJson(next)}\n` };
}

function legacy(document: Record<string, unknown>, hidden: Hidden): object {
  const groups = Array.isArray(document.groups) ? document.groups : [];
  return { ...document, groups: groups.filter(({ name }: { name: string }) => hidden(name) !== 'missing') };
}

type Group = { readonly metadata?: { readonly name?: string }; readonly versions?: readonly object[] };

function aggregated(document: Record<string, unknown>, hidden: Hidden): object {
  const groups = (Array.isArray(document.items) ? document.items : []) as Group[];
  const items = groups.flatMap((group) => {
    const fate = hidden(group.metadata?.name ?? '');
    if (fate === 'missing') return [];
    if (fate === undefined) return [group];
    const versions = (group.versions ?? []).map((version) => ({
      ...version,
      resources: [],
      freshness: 'Stale',
    }));
    return [{ ...group, versions }];
  });
  return { ...document, items };
}

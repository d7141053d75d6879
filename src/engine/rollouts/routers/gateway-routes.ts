import { isObject } from '#base/std';
import type { HeaderMatch } from '../rollout.ts';

export type Backend = { group?: string; kind?: string; name?: string; port?: number; weight?: number };
type HeaderRule = { name: string; type: 'Exact' | 'RegularExpression'; value: string };
type RuleMatch = { path?: unknown; headers?: HeaderRule[] };
/** A rule of a route of the Gateway API. */
export type RouteRule = {
  name?: string;
  matches?: RuleMatch[];
  filters?: unknown[];
  backendRefs?: Backend[];
};

/** compat rollouts §6: the kinds of routes whose requests have headers. */
export const headerKinds: readonly string[] = ['HTTPRoute', 'GRPCRoute'];

/**
 * A rule for requests with certain headers: what the `model` matches and does, for the new version alone. Fields that the API
 * server would fill in are written out, so that the rule compares equal when it is read back.
 */
export function headerRule(
  name: string,
  headers: readonly HeaderMatch[],
  { model, kind, canary }: { readonly model: RouteRule; readonly kind: string; readonly canary: string },
): RouteRule {
  const wanted = headers.map(headerMatch);
  const names = new Set(wanted.map((one) => one.name.toLowerCase()));
  const any: RuleMatch = kind === 'HTTPRoute' ? { path: { type: 'PathPrefix', value: '/' } } : {};
  const matches = model.matches?.length ? model.matches : [any];
  const port = model.backendRefs?.find((ref) => ref.name === canary)?.port;
  return {
    ...model,
    name,
    matches: matches.map((match) => ({
      ...match,
      headers: [...(match.headers ?? []).filter((one) => !names.has(one.name.toLowerCase())), ...wanted],
    })),
    backendRefs: [
      { group: '', kind: 'Service', name: canary, ...(port !== undefined && { port }), weight: 1 },
    ],
  };
}

function headerMatch({ headerName: name, headerValue = {} }: HeaderMatch): HeaderRule {
  const { exact, prefix, regex = '' } = headerValue;
  if (exact) return { name, type: 'Exact', value: exact };
  // the Gateway API has no prefixes
  return { name, type: 'RegularExpression', value: prefix ? `${escapeRegex(prefix)}.*` : regex };
}

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Which routes of a list of settings carry header routes: one that is named alone, and those that say so. */
export const usesHeaderRoutes = (item: unknown): boolean =>
  typeof item === 'string' || (isObject(item) && item.useHeaderRoutes === true);

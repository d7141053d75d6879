import type { ServedResource } from '../kinds.ts';

/** compat cluster 3.20: deprecated kinds, with the warning for every operation on them. */
const advice: Readonly<Record<string, string>> = {
  '/v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
};

/** The warnings of every response about this kind; a new list each time. */
export function deprecations({ group, version, plural }: ServedResource): string[] {
  const warning = advice[`${group}/${version}/${plural}`];
  return warning === undefined ? [] : [warning];
}

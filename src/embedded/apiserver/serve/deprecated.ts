import type { ServedResource } from '../kinds.ts';

/** compat 3.20: kinds that Kubernetes advises against, whatever is done with them. */
const advice: Readonly<Record<string, string>> = {
  '/v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  '/v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
};

/** The warnings that every answer about this kind carries; a new list each time. */
export function deprecations({ group, version, plural }: ServedResource): string[] {
  const warning = advice[`${group}/${version}/${plural}`];
  return warning === undefined ? [] : [warning];
}

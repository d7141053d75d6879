import { BlockList, isIP } from 'node:net';
import { equal } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import { type Item, nameOf, specOf, withField } from '../item.ts';
import { type FieldError, invalid } from '../status.ts';
import type { Writing } from './writing.ts';

type Port = JsonObject & { nodePort?: number };

/** compat cluster 3.12: addresses and node ports for a Service; those of the live one are kept. */
export function allocateService(writing: Writing, item: Item, live: Item | undefined): Item {
  refuseFamilies(writing, item);
  const before = live ? specOf(live) : {};
  const spec = live ? released(normalized(specOf(item), before), before) : normalized(specOf(item), {});
  if (spec.type === 'ExternalName') return withField(item, 'spec', spec);
  const had = before.type === 'ExternalName' ? {} : before;
  const clusterIP = String(spec.clusterIP || had.clusterIP || freeAddress(writing));
  if (had.clusterIP === undefined) checkAddress(writing, item, clusterIP);
  const given = Array.isArray(spec.clusterIPs) && spec.clusterIPs.length > 0 ? spec.clusterIPs : undefined;
  const next = {
    ...spec,
    clusterIP,
    clusterIPs: given ?? (clusterIP === had.clusterIP ? had.clusterIPs : undefined) ?? [clusterIP],
    ...families({ ...spec, clusterIP }, had),
  };
  const open = { ...next, ...withNodePorts(writing, item, next, had) };
  return withField(item, 'spec', { ...open, ...healthCheckPort(writing, open, had) });
}

/** compat cluster 3.12: clusterIP and clusterIPs agree; the one that was changed counts. */
function normalized(spec: JsonObject, before: JsonObject): JsonObject {
  const first = Array.isArray(spec.clusterIPs) ? (spec.clusterIPs as string[])[0] : undefined;
  const isChanged = spec.clusterIP !== before.clusterIP;
  if (isChanged && equal(spec.clusterIPs, before.clusterIPs)) {
    return { ...spec, clusterIPs: spec.clusterIP ? [spec.clusterIP] : undefined };
  }
  return !isChanged && first !== undefined ? { ...spec, clusterIP: first } : spec;
}

const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: JsonObject): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
const isPublic = ({ type }: JsonObject): boolean => type === 'NodePort' || type === 'LoadBalancer';

/**
 * compat cluster 3.12: a Service that changes its type releases the fields of the old type, unless the update sets
 * them again.
 */
function released(spec: JsonObject, before: JsonObject): JsonObject {
  if (spec.type === before.type) return spec;
  const next: JsonObject = { ...spec };
  const drop = (...fields: string[]) => {
    for (const field of fields) if (equal(next[field], before[field])) delete next[field];
  };
  if (spec.type === 'ExternalName') {
    drop('clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  }
  if (!isPublic(spec)) drop('externalTrafficPolicy');
  if (spec.type !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort');
  }
  if (needsNodePorts(before) && !isPublic(spec)) next.ports = withoutNodePorts(spec, before);
  return next;
}

function withoutNodePorts(spec: JsonObject, before: JsonObject): unknown {
  const [now, old] = [spec.ports, before.ports].map((ports) =>
    Array.isArray(ports) ? (ports as Port[]) : [],
  );
  const known = new Set(old?.map(({ nodePort }) => nodePort));
  return now?.map(({ nodePort, ...port }) => (known.has(nodePort) ? port : { ...port, nodePort }));
}

/** compat cluster 3.12: without a selector a headless Service may be of any family. */
function families(
  { ipFamilies, ipFamilyPolicy, clusterIP, selector }: JsonObject,
  had: JsonObject,
): JsonObject {
  const isOpen = clusterIP === 'None' && Object.keys(selector ?? {}).length === 0;
  return {
    ipFamilies: ipFamilies ?? had.ipFamilies ?? (isOpen ? ['IPv4', 'IPv6'] : ['IPv4']),
    ipFamilyPolicy: ipFamilyPolicy ?? had.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack'),
  };
}

const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** compat cluster 3.13: families are validated before anything is allocated, and alone. */
function refuseFamilies({ resource }: Writing, item: Item): void {
  const { ipFamilies, ipFamilyPolicy } = specOf(item);
  const wrong = ((ipFamilies ?? []) as string[]).flatMap((value, index): FieldError[] =>
    value === 'IPv4' || value === 'IPv6'
      ? []
      : [unsupported(`spec.ipFamilies[${index}]`, value, ['IPv4', 'IPv6'])],
  );
  if (ipFamilyPolicy !== undefined && !policies.includes(String(ipFamilyPolicy))) {
    wrong.push(unsupported('spec.ipFamilyPolicy', ipFamilyPolicy, policies));
  }
  if (wrong.length > 0) throw invalid(resource, nameOf(item), wrong);
}

function unsupported(field: string, value: unknown, values: readonly string[]): FieldError {
  const shown = values.map((one) => JSON.stringify(one)).join(', ');
  return { type: 'Unsupported value', field, value, detail: `supported values: ${shown}` };
}

/** 10.96.0.0/12, as in most clusters; the lowest addresses are reserved for the cluster's own services. */
function freeAddress({ core }: Writing): string {
  const services = core.state.collection('/services').list();
  const used = new Set(services.map(({ item }) => specOf(item).clusterIP));
  for (;;) {
    const number = 256 + core.ids.number(2 ** 20 - 512);
    const address = `10.${96 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    if (!used.has(address)) return address;
  }
}

const range = new BlockList();
range.addSubnet('10.96.0.0', 12);

/** A requested address must be in the range and free. Validation reports invalid ones. */
function checkAddress({ core, resource }: Writing, item: Item, address: string): void {
  if (isIP(address) !== 4) return;
  const services = core.state.collection('/services').list();
  const isTaken = services.some(
    ({ item: other }) => specOf(other).clusterIP === address && other.metadata.uid !== item.metadata.uid,
  );
  const why = isTaken
    ? 'provided IP is already allocated'
    : range.check(address)
      ? undefined
      : 'the provided network does not match the current range';
  if (why === undefined) return;
  const detail = `failed to allocate IP ${address}: ${why}`;
  throw invalid(resource, nameOf(item), [
    { type: 'Invalid value', field: 'spec.clusterIPs', value: [address], detail },
  ]);
}

function withNodePorts(writing: Writing, item: Item, spec: JsonObject, before: JsonObject): JsonObject {
  const ports = Array.isArray(spec.ports) ? (spec.ports as Port[]) : [];
  if (!needsNodePorts(spec) || ports.length === 0) return {};
  const old = Array.isArray(before.ports) ? (before.ports as Port[]) : [];
  const known = { used: usedNodePorts(writing), old };
  return {
    ports: ports.map((port, index) => ({
      ...port,
      nodePort: nodePortOf(writing, item, { port, index, ...known }),
    })),
  };
}

/** compat cluster 3.12: with the local traffic policy, load balancers probe each node for a pod at this port. */
function healthCheckPort(writing: Writing, spec: JsonObject, had: JsonObject): JsonObject {
  if (spec.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local') return {};
  const known = spec.healthCheckNodePort || had.healthCheckNodePort;
  return { healthCheckNodePort: known || freePort(writing, usedNodePorts(writing)) };
}

type Wanted = {
  readonly port: Port;
  readonly index: number;
  readonly old: readonly Port[];
  readonly used: Set<number>;
};

function nodePortOf(writing: Writing, item: Item, { port, index, old, used }: Wanted): number {
  const same = old.find((one) => one.port === port.port && one.protocol === port.protocol)?.nodePort;
  if (!port.nodePort) return same ?? freePort(writing, used);
  const refuse = (detail: string) => {
    const field = `spec.ports[${index}].nodePort`;
    const error: FieldError = { type: 'Invalid value', field, value: port.nodePort, detail };
    return invalid(writing.resource, nameOf(item), [error]);
  };
  if (port.nodePort < 30000 || port.nodePort > 32767) {
    throw refuse('provided port is not in the valid range. The range of valid ports is 30000-32767');
  }
  if (used.has(port.nodePort) && !old.some((one) => one.nodePort === port.nodePort)) {
    throw refuse('provided port is already allocated');
  }
  return port.nodePort;
}

function freePort(writing: Writing, used: Set<number>): number {
  let free = 0;
  do free = 30000 + writing.core.ids.number(2768);
  while (used.has(free));
  used.add(free);
  return free;
}

function usedNodePorts({ core }: Writing): Set<number> {
  const used = new Set<number>();
  for (const { item } of core.state.collection('/services').list()) {
    const { ports, healthCheckNodePort } = specOf(item);
    for (const { nodePort } of (ports ?? []) as Port[]) if (nodePort) used.add(nodePort);
    if (healthCheckNodePort) used.add(Number(healthCheckNodePort));
  }
  return used;
}

import type { JsonObject } from '#schema';
import { type Item, specOf, withField } from '../item.ts';
import { invalid } from '../status.ts';
import type { Writing } from './writing.ts';

type Port = JsonObject & { nodePort?: number };

/** compat 3.12: addresses and node ports for a Service, kept from the live one where it has them. */
export function allocateService(writing: Writing, item: Item, live: Item | undefined): Item {
  const spec = specOf(item);
  if (spec.type === 'ExternalName') return item;
  const before = live ? specOf(live) : {};
  const clusterIP = String(spec.clusterIP || before.clusterIP || freeAddress(writing));
  const given = Array.isArray(spec.clusterIPs) && spec.clusterIPs.length > 0 ? spec.clusterIPs : undefined;
  const next = {
    ...spec,
    clusterIP,
    clusterIPs: given ?? [clusterIP],
    ipFamilies: spec.ipFamilies ?? before.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? before.ipFamilyPolicy ?? 'SingleStack',
  };
  return withField(item, 'spec', { ...next, ...withNodePorts(writing, next, before) });
}

/** 10.96.0.0/12, as most clusters have it; the lowest addresses are left for the cluster's own services. */
function freeAddress({ core }: Writing): string {
  const services = core.state.shelf('/services').list();
  const used = new Set(services.map(({ item }) => specOf(item).clusterIP));
  for (;;) {
    const number = 256 + core.ids.number(2 ** 20 - 512);
    const address = `10.${96 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
    if (!used.has(address)) return address;
  }
}

function withNodePorts(writing: Writing, spec: JsonObject, before: JsonObject): JsonObject {
  const ports = Array.isArray(spec.ports) ? (spec.ports as Port[]) : [];
  const wanted =
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
  if (!wanted || ports.length === 0) return {};
  const old = Array.isArray(before.ports) ? (before.ports as Port[]) : [];
  const used = usedNodePorts(writing);
  return { ports: ports.map((port) => ({ ...port, nodePort: nodePortOf(writing, port, old, used) })) };
}

function nodePortOf(writing: Writing, port: Port, old: readonly Port[], used: Set<number>): number {
  const same = old.find((one) => one.port === port.port && one.protocol === port.protocol)?.nodePort;
  if (port.nodePort) {
    if (used.has(port.nodePort) && !old.some((one) => one.nodePort === port.nodePort))
      throw taken(writing, port.nodePort);
    return port.nodePort;
  }
  if (same) return same;
  let free = 0;
  do free = 30000 + writing.core.ids.number(2768);
  while (used.has(free));
  used.add(free);
  return free;
}

function usedNodePorts({ core }: Writing): Set<number> {
  const used = new Set<number>();
  for (const { item } of core.state.shelf('/services').list()) {
    for (const { nodePort } of (specOf(item).ports ?? []) as Port[]) if (nodePort) used.add(nodePort);
  }
  return used;
}

const taken = (writing: Writing, port: number): Error =>
  invalid(writing.resource, '', [
    {
      type: 'Invalid value',
      field: 'spec.ports[0].nodePort',
      value: port,
      detail: 'provided port is already allocated',
    },
  ]);

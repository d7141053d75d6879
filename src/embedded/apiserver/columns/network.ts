import type { Item } from '../item.ts';
import {
  age,
  type Column,
  type ColumnInput,
  list,
  mapText,
  name,
  orNone,
  spec,
  status,
  str,
  strings,
  text,
  view,
  wide,
} from './column.ts';

export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  '/services': [
    name,
    text('Type', (item) => str(spec(item).type)),
    text('Cluster-IP', (item) => orNone(spec(item).clusterIP)),
    text('External-IP', externalIp),
    text('Port(s)', (item) => list(spec(item).ports).map(servicePort).join(',') || '<none>'),
    age,
    wide('Selector', (item) => mapText(spec(item).selector)),
  ],
  'networking.k8s.io/ingresses': [
    name,
    text('Class', (item) => orNone(spec(item).ingressClassName)),
    text('Hosts', (item) => hosts(item)),
    text('Address', (item) => addresses(item).join(',')),
    text('Ports', (item) => (list(spec(item).tls).length > 0 ? '80, 443' : '80')),
    age,
  ],
  'networking.k8s.io/ingressclasses': [
    name,
    text('Controller', (item) => str(spec(item).controller)),
    text('Parameters', (item) => parameters(view(spec(item).parameters))),
    age,
  ],
  'networking.k8s.io/networkpolicies': [
    name,
    text('Pod-Selector', (item) => mapText(view(spec(item).podSelector).matchLabels)),
    age,
  ],
  'networking.k8s.io/ipaddresses': [name, text('ParentRef', parentRef)],
  'networking.k8s.io/servicecidrs': [
    name,
    text('CIDRs', (item) => strings(spec(item).cidrs).join(',') || '<none>'),
    age,
  ],
  '/endpoints': [name, text('Endpoints', endpoints), age],
  'discovery.k8s.io/endpointslices': [
    name,
    text('AddressType', (item) => str(item.addressType)),
    text(
      'Ports',
      (item) =>
        list(item.ports)
          .map((port) => str(port.port))
          .join(',') || '<unset>',
    ),
    text(
      'Endpoints',
      (item) => firstFew(list(item.endpoints).flatMap((end) => strings(end.addresses))) || '<unset>',
    ),
    age,
  ],
};

function externalIp(item: Item): string {
  const { type, externalName, externalIPs } = spec(item);
  if (type === 'ExternalName') return str(externalName);
  const given = strings(externalIPs);
  if (type !== 'LoadBalancer') return given.join(',') || '<none>';
  return [...addresses(item), ...given].join(',') || '<pending>';
}

const addresses = (item: Item): string[] =>
  list(view(status(item).loadBalancer).ingress).map((at) => str(at.ip) || str(at.hostname));

function servicePort({ port, nodePort, protocol }: ColumnInput): string {
  const node = nodePort === undefined || nodePort === 0 ? '' : `:${str(nodePort)}`;
  return `${str(port)}${node}/${str(protocol)}`;
}

function hosts(item: Item): string {
  const all = list(spec(item).rules).map((rule) => str(rule.host) || '*');
  if (all.length === 0) return '*';
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
}

function parameters({ apiGroup, kind, name: object }: ColumnInput): string {
  if (kind === undefined) return '<none>';
  return `${str(kind)}${apiGroup === undefined ? '' : `.${str(apiGroup)}`}/${str(object)}`;
}

function endpoints(item: Item): string {
  const pairs = list(item.subsets).flatMap(({ addresses: ips, ports }) =>
    list(ips).flatMap(({ ip }) => {
      const all = list(ports);
      return all.length === 0 ? [str(ip)] : all.map(({ port }) => `${str(ip)}:${str(port)}`);
    }),
  );
  return firstFew(pairs) || '<none>';
}

const firstFew = (all: readonly string[]): string =>
  all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');

function parentRef(item: Item): string {
  const { resource, namespace, name: parent } = view(spec(item).parentRef);
  return [resource, namespace, parent].map(str).filter(Boolean).join('/') || '<none>';
}

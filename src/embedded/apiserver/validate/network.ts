import { BlockList, isIP } from 'node:net';
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelKeyProblems,
  pathSegmentProblems,
  portNameProblems,
} from '#base/model';
import type { FieldCheck } from './check.ts';
import { checkSelectorFields } from './selector.ts';
import { addressRule, atMostAll, checkPortion, isAddress } from './text.ts';

const subdomain = (name: FieldCheck): void => {
  if (name.isSet) name.problems(dnsSubdomainProblems(name.text));
};

export function checkIngress(ingress: FieldCheck): void {
  const spec = ingress.field('spec');
  const fallback = spec.field('defaultBackend');
  if (spec.field('rules').items().length === 0 && !fallback.isSet) {
    spec.invalid('either `defaultBackend` or `rules` must be specified', null);
  }
  if (fallback.isSet) checkBackend(fallback);
  for (const rule of spec.field('rules').items()) checkRule(rule);
  for (const tls of spec.field('tls').items()) checkTls(tls);
  const name = spec.field('ingressClassName');
  subdomain(name);
  const annotated = ingress.field('metadata').field('annotations').object['kubernetes.io/ingress.class'];
  if (name.isSet && typeof annotated === 'string' && annotated !== name.value) {
    const field = 'annotations.kubernetes.io/ingress.class';
    const detail = 'must match `ingressClassName` when both are specified';
    ingress.add({ type: 'Invalid value', field, value: annotated, detail });
  }
}

function checkTls(tls: FieldCheck): void {
  for (const host of tls.field('hosts').items()) {
    if (host.value === '') host.problems(dnsSubdomainProblems(''));
    else checkHost(host);
  }
  subdomain(tls.field('secretName'));
}

const wildcard = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkHost(host: FieldCheck): void {
  if (!host.isSet) return;
  if (isAddress(host.text)) host.invalid('must be a DNS name, not an IP address');
  else if (!host.text.includes('*')) subdomain(host);
  else if (!wildcard.test(host.text)) {
    host.invalid(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
}

function checkRule(rule: FieldCheck): void {
  checkHost(rule.field('host'));
  const paths = rule.field('http').field('paths');
  if (rule.field('http').isSet && paths.items().length === 0) paths.lacking();
  for (const path of paths.items()) checkPath(path);
}

const broken = ['//', '/./', '/../', '%2f', '%2F'];
const brokenEnds = ['/..', '/.'];

function checkPath(path: FieldCheck): void {
  const type = path.field('pathType');
  const value = path.field('path');
  if (!type.isSet) {
    type.lacking('pathType must be specified');
    return;
  }
  const isPlain = type.value === 'Exact' || type.value === 'Prefix';
  if (isPlain) checkPlainPath(value);
  else if (value.isSet && !value.text.startsWith('/') && type.value === 'ImplementationSpecific') {
    value.invalid('must be an absolute path');
  }
  type.oneOf(['Exact', 'ImplementationSpecific', 'Prefix']);
  checkBackend(path.field('backend'));
}

function checkPlainPath(value: FieldCheck): void {
  if (!value.text.startsWith('/')) value.invalid('must be an absolute path', value.text);
  for (const part of broken) if (value.text.includes(part)) value.invalid(`must not contain '${part}'`);
  for (const end of brokenEnds) if (value.text.endsWith(end)) value.invalid(`cannot end with '${end}'`);
}

function checkBackend(backend: FieldCheck): void {
  const service = backend.field('service');
  const hasResource = backend.field('resource').isSet;
  if (hasResource && service.isSet) backend.invalid('cannot set both resource and service backends', '');
  else if (!hasResource && !service.isSet) backend.invalid('resource or service backend is required', '');
  else if (service.isSet) checkServiceBackend(backend, service);
}

function checkServiceBackend(backend: FieldCheck, service: FieldCheck): void {
  const name = service.field('name');
  if (!name.isSet) name.lacking();
  else name.problems(dnsLabelProblems(name.text));
  const { name: portName, number } = service.field('port').object;
  if (portName && number) backend.invalid('cannot set both port name & port number', '');
  else if (portName)
    service
      .field('port')
      .field('name')
      .problems(portNameProblems(String(portName)));
  else if (number) service.field('port').field('number').port();
  else backend.lacking('port name or number is required');
}

export function checkIngressClass(object: FieldCheck): void {
  const controller = object.field('spec').field('controller');
  if (!controller.isSet) controller.lacking();
  else if (!/^[^/]+\/.+$/.test(controller.text)) {
    controller.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const parameters = object.field('spec').field('parameters');
  if (parameters.isSet) checkParameters(parameters);
}

export function keepIngressClass(next: FieldCheck, live: FieldCheck): void {
  const { value } = live.field('spec').field('controller');
  const controller = next.field('spec').field('controller');
  if (controller.text !== value) controller.invalid('field is immutable', controller.text);
}

function checkParameters(parameters: FieldCheck): void {
  const group = parameters.field('apiGroup');
  if (group.value !== undefined) group.problems(dnsSubdomainProblems(group.text));
  for (const field of ['kind', 'name']) checkSegment(parameters.field(field));
  const [scope, namespace] = [parameters.field('scope'), parameters.field('namespace')];
  if (scope.value === undefined) scope.lacking();
  else if (scope.value === 'Namespace') {
    if (namespace.value === undefined) namespace.lacking("`parameters.scope` is set to 'Namespace'");
    else namespace.problems(dnsLabelProblems(namespace.text));
  } else if (scope.value !== 'Cluster') scope.unsupported(['Cluster', 'Namespace']);
  else if (namespace.value !== undefined) namespace.forbidden("`parameters.scope` is set to 'Cluster'");
}

/** A required name that must be a valid path segment. */
export function checkSegment(name: FieldCheck): void {
  if (name.isSet) name.problems(pathSegmentProblems(name.text));
  else name.lacking();
}

export function checkNetworkPolicy(object: FieldCheck): void {
  const spec = object.field('spec');
  checkSelectorFields(spec.field('podSelector'));
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const rule of spec.field(direction).items()) {
      for (const port of rule.field('ports').items()) checkPolicyPort(port);
      for (const peer of rule.field(peers).items()) checkPeer(peer);
    }
  }
  checkPolicyTypes(spec.field('policyTypes'));
}

function checkPolicyTypes(types: FieldCheck): void {
  const known = ['Ingress', 'Egress'];
  if (types.items().length > known.length) {
    types.invalid('may not specify more than two policyTypes');
    return;
  }
  for (const type of types.items()) if (!known.includes(type.text)) type.unsupported(known);
}

function checkPolicyPort(port: FieldCheck): void {
  port.field('protocol').oneOf(['TCP', 'UDP', 'SCTP']);
  const number = port.field('port');
  const end = port.field('endPort');
  if (typeof number.value === 'string') {
    if (end.isSet) end.invalid('may not be specified when `port` is non-numeric');
    number.problems(portNameProblems(number.text));
  } else {
    number.port();
    if (end.isSet && !number.isSet) end.invalid('may not be specified when `port` is not specified');
    else if (end.isSet) {
      const least = Number(number.value);
      if (Number(end.value) < least) end.invalid('must be greater than or equal to `port`', least);
      end.port();
    }
  }
}

function checkPeer(peer: FieldCheck): void {
  const selectors = ['podSelector', 'namespaceSelector'].filter((field) => peer.field(field).isSet);
  for (const field of selectors) checkSelectorFields(peer.field(field));
  const block = peer.field('ipBlock');
  if (block.isSet) checkBlock(block);
  if (block.isSet && selectors.length > 0) peer.forbidden('may not specify both ipBlock and another peer');
  if (!block.isSet && selectors.length === 0) peer.lacking('must specify a peer');
}

const rangeRule = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function checkBlock(block: FieldCheck): void {
  const range = block.field('cidr');
  const outer = readRange(range.text);
  if (!range.isSet) range.lacking();
  else if (!outer) range.invalid(rangeRule);
  if (!outer) return;
  for (const except of block.field('except').items()) {
    const inner = readRange(except.text);
    if (!inner) except.invalid(rangeRule);
    else if (!isWithin(inner, outer)) except.invalid('must be a strict subset of `cidr`');
  }
}

type Range = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

function readRange(text: string): Range | undefined {
  const [address = '', bits = ''] = text.split('/');
  if (!isAddress(address) || !/^\d+$/.test(bits)) return undefined;
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  return Number(bits) <= (family === 'ipv4' ? 32 : 128) ? { address, bits: Number(bits), family } : undefined;
}

function isWithin(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.bits <= outer.bits) return false;
  const list = new BlockList();
  list.addSubnet(outer.address, outer.bits, outer.family);
  return list.check(inner.address, inner.family);
}

export function checkEndpointSlice(slice: FieldCheck): void {
  const type = slice.field('addressType');
  if (!type.isSet) type.lacking();
  else type.oneOf(['FQDN', 'IPv4', 'IPv6']);
  checkSlicePorts(slice.field('ports'));
  for (const endpoint of slice.field('endpoints').items()) checkEndpoint(endpoint, type.text);
}

function checkSlicePorts(ports: FieldCheck): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    const name = port.field('name');
    if (name.isSet) name.problems(dnsLabelProblems(name.text));
    if (names.has(name.text)) name.duplicate(name.text);
    names.add(name.text);
    port.field('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
    const protocol = port.field('appProtocol');
    if (protocol.value !== undefined) protocol.problems(labelKeyProblems(protocol.text));
  }
}

export function keepEndpointSlice(next: FieldCheck, live: FieldCheck): void {
  next.field('addressType').immutable(live.field('addressType').value);
}

const families: Readonly<Record<string, number>> = { IPv4: 4, IPv6: 6 };

function checkEndpoint(endpoint: FieldCheck, type: string): void {
  const addresses = endpoint.field('addresses');
  if (addresses.items().length === 0) addresses.lacking('must contain at least 1 address');
  const family = families[type];
  for (const address of family ? addresses.items() : []) {
    const found = isIP(address.text);
    if (found === 0) address.invalid(addressRule);
    else {
      if (found !== family) addresses.invalid(`must be an ${type} address`, address.text);
      refuseLoopback(address);
    }
  }
  subdomain(endpoint.field('nodeName'));
  const host = endpoint.field('hostname');
  if (host.value !== undefined) host.problems(dnsLabelProblems(host.text));
}

export function checkEndpoints(object: FieldCheck): void {
  for (const subset of object.field('subsets').items()) {
    for (const list of ['addresses', 'notReadyAddresses']) {
      for (const address of subset.field(list).items()) checkEndpointAddress(address.field('ip'));
    }
    for (const port of subset.field('ports').items()) {
      const { value = 0 } = port.field('port');
      if (Number(value) < 1) port.field('port').invalid('must be between 1 and 65535, inclusive', value);
      else port.field('port').port();
    }
  }
}

function checkEndpointAddress(ip: FieldCheck): void {
  if (!isAddress(ip.text)) {
    ip.invalid(addressRule);
    ip.invalid('must be a valid IP address');
  } else refuseLoopback(ip);
}

function refuseLoopback(ip: FieldCheck): void {
  if (/^127\.|^::1$/.test(ip.text)) ip.invalid('may not be in the loopback range (127.0.0.0/8, ::1/128)');
}

export function checkDisruptionBudget(object: FieldCheck): void {
  const spec = object.field('spec');
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec.object;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    spec.invalid('minAvailable and maxUnavailable cannot be both set', {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    });
  }
  for (const field of ['minAvailable', 'maxUnavailable']) {
    checkPortion(spec.field(field));
    atMostAll(spec.field(field));
  }
  checkSelectorFields(spec.field('selector'));
  spec.field('unhealthyPodEvictionPolicy').oneOf(['AlwaysAllow', 'IfHealthyBudget']);
}

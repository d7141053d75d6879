import { dnsLabelProblems, dnsSubdomainProblems, portNameProblems } from '#base/model';
import { equal } from '#base/std';
import type { FieldCheck } from './check.ts';
import { checkLabels } from './selector.ts';
import { addressRule, isAddress } from './text.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function checkService(service: FieldCheck): void {
  const spec = service.field('spec');
  const type = spec.field('type').text;
  const isHeadless = spec.field('clusterIP').value === 'None';
  if (type !== 'ExternalName' && !isHeadless && spec.field('ports').items().length === 0) {
    spec.field('ports').lacking();
  }
  if (type === 'LoadBalancer' || type === 'NodePort') refuseHeadless(spec, type);
  if (type === 'ExternalName') checkExternalName(spec);
  checkPorts(spec);
  checkLabels(spec.field('selector'));
  checkAffinity(spec);
  if (!types.includes(type)) spec.field('type').unsupported(types);
  checkAddresses(spec, type);
  checkExposure(spec, type);
}

function refuseHeadless(spec: FieldCheck, type: string): void {
  const [first] = spec.field('clusterIPs').items();
  if (spec.field('clusterIP').value === 'None') {
    (first ?? spec.field('clusterIPs').at('[0]')).invalid(
      `may not be set to 'None' for ${type} services`,
      'None',
    );
  }
}

function checkExternalName(spec: FieldCheck): void {
  const name = spec.field('externalName');
  if (!name.isSet) name.lacking();
  else name.problems(dnsSubdomainProblems(name.text.replace(/\.$/, '')));
}

function checkPorts(spec: FieldCheck): void {
  const ports = spec.field('ports').items();
  const names = new Set<string>();
  for (const port of ports) checkPort(port, ports.length > 1, names);
  const seen = new Set<string>();
  for (const port of ports) {
    const { port: number, protocol = 'TCP' } = port.object as { port?: number; protocol?: string };
    const id = `${number}/${protocol}`;
    if (seen.has(id)) port.duplicate(bare(protocol, number));
    seen.add(id);
  }
}

/** Kubernetes' form of a duplicate port. */
const bare = (protocol: string, port: number | undefined): unknown => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port ?? 0,
  TargetPort: 0,
  NodePort: 0,
});

function checkPort(port: FieldCheck, isOneOfMany: boolean, names: Set<string>): void {
  const name = port.field('name');
  if (!name.isSet) {
    if (isOneOfMany) name.lacking();
  } else {
    name.problems(dnsLabelProblems(name.text));
    if (names.has(name.text)) name.duplicate();
    names.add(name.text);
  }
  port.field('port').port();
  port.field('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
  const target = port.field('targetPort');
  if (typeof target.value === 'string') target.problems(portNameProblems(target.text));
  else target.port();
}

function checkAffinity(spec: FieldCheck): void {
  spec.field('sessionAffinity').oneOf(['ClientIP', 'None']);
  if (spec.field('sessionAffinity').value !== 'ClientIP') return;
  const timeout = spec.field('sessionAffinityConfig').field('clientIP').field('timeoutSeconds');
  if (typeof timeout.value === 'number' && (timeout.value <= 0 || timeout.value > 86400)) {
    timeout.invalid('must be greater than 0 and less than 86400');
  }
}

function checkAddresses(spec: FieldCheck, type: string): void {
  for (const address of spec.field('clusterIPs').items()) {
    if (type !== 'ExternalName' && address.value !== 'None' && !isAddress(address.text)) {
      address.invalid(addressRule);
    }
  }
  for (const address of spec.field('externalIPs').items()) {
    if (!isAddress(address.text)) address.invalid(addressRule);
  }
  for (const family of spec.field('ipFamilies').items()) family.oneOf(['IPv4', 'IPv6']);
  spec.field('ipFamilyPolicy').oneOf(['PreferDualStack', 'RequireDualStack', 'SingleStack']);
  spec.field('internalTrafficPolicy').oneOf(['Cluster', 'Local']);
}

const isPublic = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer';

function checkExposure(spec: FieldCheck, type: string): void {
  for (const port of spec.field('ports').items()) {
    const node = port.field('nodePort');
    if (type === 'ClusterIP' && node.isSet && node.value !== 0) {
      node.forbidden("may not be used when `type` is 'ClusterIP'");
    }
  }
  if (type !== 'LoadBalancer') {
    for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) {
      if (spec.field(field).isSet)
        spec.field(field).forbidden("may only be used when `type` is 'LoadBalancer'");
    }
  }
  checkExternal(spec, type);
}

function checkExternal(spec: FieldCheck, type: string): void {
  const external = spec.field('externalTrafficPolicy');
  const hasExternalIps = spec.field('externalIPs').items().length > 0;
  if (external.isSet && !isPublic(type) && !(type === 'ClusterIP' && hasExternalIps)) {
    external.invalid('may only be set for externally-accessible services');
  } else external.oneOf(['Cluster', 'Local']);
  const health = spec.field('healthCheckNodePort');
  if (health.isSet && health.value !== 0 && !(type === 'LoadBalancer' && external.value === 'Local')) {
    health.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  }
}

/** compat cluster 3.13: an allocated address is immutable, unless the new type releases it. */
export function keepService(next: FieldCheck, live: FieldCheck): void {
  const address = next.field('spec').field('clusterIPs');
  const before = live.field('spec').field('clusterIPs');
  const isExternal = [next, live].some((one) => one.field('spec').field('type').value === 'ExternalName');
  if (isExternal || !before.isSet || equal(address.value, before.value)) return;
  const [first] = address.items();
  (first ?? address).invalid('may not change once set', address.value);
}

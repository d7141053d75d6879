import { configKeyProblems } from '#model';
import { equal } from '#std';
import type { Check } from './check.ts';

export function checkService(service: Check): void {
  const spec = service.field('spec');
  const type = spec.field('type');
  type.oneOf(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']);
  if (type.value === 'ExternalName') {
    spec.field('externalName').required('must be specified when type is ExternalName');
    return;
  }
  const headless = spec.field('clusterIP').value === 'None';
  if (!headless) spec.field('ports').required();
  const ports = spec.field('ports').items();
  const names = new Set<string>();
  for (const port of ports) checkServicePort(port, ports.length > 1, names);
}

function checkServicePort(port: Check, named: boolean, names: Set<string>): void {
  port.field('port').port();
  port.field('targetPort').port();
  port.field('protocol').oneOf(['TCP', 'UDP', 'SCTP']);
  const name = port.field('name');
  if (named) name.required();
  if (name.isSet && names.has(name.text)) name.duplicate();
  names.add(name.text);
}

/** compat 3.13: an address once given stays, unless the kind of Service gives it up. */
export function keepService(next: Check, live: Check): void {
  const address = next.field('spec').field('clusterIPs');
  const before = live.field('spec').field('clusterIPs');
  const isExternal = [next, live].some((one) => one.field('spec').field('type').value === 'ExternalName');
  if (isExternal || !before.isSet || equal(address.value, before.value)) return;
  const [first] = address.items();
  (first ?? address).invalid('may not change once set', address.value);
}

export function checkConfigData(object: Check): void {
  for (const field of ['data', 'binaryData']) {
    for (const key of Object.keys(object.field(field).object)) {
      for (const problem of configKeyProblems(key)) object.field(field).at(`[${key}]`).invalid(problem, key);
    }
  }
}

/** compat 3.13 */
export function keepImmutableData(next: Check, live: Check): void {
  if (live.field('immutable').value !== true) return;
  if (next.field('immutable').value !== true)
    next.field('immutable').forbidden('field is immutable when `immutable` is set');
  for (const field of ['data', 'binaryData']) {
    if (!equal(next.field(field).value, live.field(field).value)) {
      next.field(field).forbidden('field is immutable when `immutable` is set');
    }
  }
}

export function keepSecret(next: Check, live: Check): void {
  next.field('type').immutable(live.field('type').value);
  keepImmutableData(next, live);
}

export function checkIngress(ingress: Check): void {
  const spec = ingress.field('spec');
  if (spec.field('rules').items().length === 0 && !spec.field('defaultBackend').isSet) {
    spec.invalid('either `defaultBackend` or `rules` must be specified', []);
  }
  for (const rule of spec.field('rules').items()) {
    for (const path of rule.field('http').field('paths').items()) checkIngressPath(path);
  }
}

function checkIngressPath(path: Check): void {
  path.field('pathType').required('pathType must be specified');
  path.field('pathType').oneOf(['Exact', 'ImplementationSpecific', 'Prefix']);
  const value = path.field('path');
  if (value.isSet && !value.text.startsWith('/')) value.invalid('must be an absolute path');
  const service = path.field('backend').field('service');
  if (service.isSet) service.field('name').required();
}

export function checkBinding(binding: Check): void {
  const role = binding.field('roleRef');
  role.field('kind').oneOf(['ClusterRole', 'Role']);
  role.field('name').required();
}

export function keepRoleRef(next: Check, live: Check): void {
  if (!equal(next.field('roleRef').value, live.field('roleRef').value)) {
    next.field('roleRef').invalid('cannot change roleRef');
  }
}

export function checkAutoscaler(object: Check): void {
  const { minReplicas, maxReplicas } = object.field('spec').object;
  if (typeof maxReplicas === 'number' && maxReplicas < 1) {
    object.field('spec').field('maxReplicas').invalid('must be greater than 0');
  } else if (Number(minReplicas ?? 1) > Number(maxReplicas)) {
    object.field('spec').field('maxReplicas').invalid('must be greater than or equal to `minReplicas`');
  }
}

export function checkDisruptionBudget(object: Check): void {
  const spec = object.field('spec');
  if (spec.field('minAvailable').isSet && spec.field('maxUnavailable').isSet) {
    spec.invalid('minAvailable and maxUnavailable cannot be both set');
  }
}

export function keepClaim(next: Check, live: Check): void {
  const fixed = (claim: Check) => {
    const {
      resources: _resources,
      volumeAttributesClassName: _class,
      volumeName: _volume,
      ...rest
    } = claim.field('spec').object;
    return rest;
  };
  if (equal(fixed(next), fixed(live))) return;
  next
    .field('spec')
    .forbidden(
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    );
}

export function keepStorageClass(next: Check, live: Check): void {
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    if (!equal(next.field(field).value, live.field(field).value)) {
      next.field(field).forbidden(`updates to ${field} are forbidden.`);
    }
  }
}

export function keepPriorityClass(next: Check, live: Check): void {
  if (next.field('value').value !== live.field('value').value) {
    next.field('value').forbidden('may not be changed in an update.');
  }
}

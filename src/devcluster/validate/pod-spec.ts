import { compareQuantities, dnsLabelProblems, quantityOf } from '#model';
import type { Check } from './check.ts';

const qualified = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** The errors people meet in pods and pod templates (contract 3.13). `restart`: policies this kind allows. */
export function checkPodSpec(spec: Check, restart: readonly string[]): void {
  const volumes = new Set<unknown>();
  for (const volume of spec.field('volumes').items()) checkVolume(volume, volumes);
  const names = new Set<string>();
  spec.field('containers').required();
  for (const container of spec.field('containers').items()) checkContainer(container, volumes, names);
  for (const container of spec.field('initContainers').items()) checkContainer(container, volumes, names);
  spec.field('restartPolicy').oneOf(restart);
  spec.field('dnsPolicy').oneOf(['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  spec.field('terminationGracePeriodSeconds').notNegative();
}

function checkVolume(volume: Check, volumes: Set<unknown>): void {
  const name = volume.field('name').required();
  if (name.isSet) name.problems(dnsLabelProblems(name.text));
  if (volumes.has(name.value)) name.duplicate();
  volumes.add(name.value);
  const sources = Object.keys(volume.object).filter((key) => key !== 'name');
  if (sources.length === 0) volume.required('must specify a volume type');
}

function checkContainer(container: Check, volumes: ReadonlySet<unknown>, names: Set<string>): void {
  const name = container.field('name').required();
  if (name.isSet) name.problems(dnsLabelProblems(name.text));
  if (names.has(name.text)) name.duplicate();
  names.add(name.text);
  const image = container.field('image').required();
  if (image.text !== image.text.trim()) image.invalid('must not have leading or trailing whitespace');
  container.field('imagePullPolicy').oneOf(['Always', 'IfNotPresent', 'Never']);
  checkPorts(container);
  for (const env of container.field('env').items()) checkEnv(env);
  checkMounts(container, volumes);
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) checkProbe(container.field(probe));
  checkResources(container.field('resources'));
}

function checkPorts(container: Check): void {
  const names = new Set<string>();
  for (const port of container.field('ports').items()) {
    port.field('containerPort').required();
    port.field('containerPort').port();
    port.field('protocol').oneOf(['TCP', 'UDP', 'SCTP']);
    const name = port.field('name');
    if (name.isSet && names.has(name.text)) name.duplicate();
    names.add(name.text);
  }
}

function checkEnv(env: Check): void {
  const name = env.field('name').required();
  if (name.isSet && !qualified.test(name.text)) {
    name.invalid(
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
    );
  }
  if (env.field('value').isSet && env.field('valueFrom').isSet) {
    env.field('valueFrom').invalid('may not be specified when `value` is not empty', '');
  }
}

function checkMounts(container: Check, volumes: ReadonlySet<unknown>): void {
  const paths = new Set<string>();
  for (const mount of container.field('volumeMounts').items()) {
    const name = mount.field('name').required();
    if (name.isSet && !volumes.has(name.value)) name.notFound();
    const path = mount.field('mountPath').required();
    if (paths.has(path.text)) path.invalid('must be unique');
    paths.add(path.text);
  }
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

function checkProbe(probe: Check): void {
  if (!probe.isSet) return;
  const given = handlers.filter((handler) => probe.field(handler).isSet);
  if (given.length === 0) probe.required('must specify a handler type');
  for (const second of given.slice(1))
    probe.field(second).forbidden('may not specify more than 1 handler type');
  for (const handler of ['httpGet', 'tcpSocket', 'grpc']) {
    probe.field(handler).field('port').port(); // a port nobody gave has been read as 0
  }
  for (const field of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'failureThreshold']) {
    probe.field(field).notNegative();
  }
}

function checkResources(resources: Check): void {
  const limits = resources.field('limits');
  const requests = resources.field('requests');
  for (const list of [limits, requests]) {
    for (const name of Object.keys(list.object)) checkQuantity(list.field(name));
  }
  for (const name of Object.keys(requests.object))
    checkWithin(requests.field(name), limits.object[name], name);
}

function checkQuantity(amount: Check): void {
  if (quantityOf(amount.value) === undefined) amount.invalid('must be a quantity such as 500m, 1 or 128Mi');
}

function checkWithin(amount: Check, limit: unknown, name: string): void {
  const [asked, most] = [quantityOf(amount.value), quantityOf(limit)];
  if (asked === undefined || most === undefined || compareQuantities(asked, most) <= 0) return;
  amount.invalid(`must be less than or equal to ${name} limit of ${String(limit)}`);
}

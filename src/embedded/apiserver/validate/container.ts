import { dnsLabelProblems, dnsSubdomainProblems, portNameProblems } from '#base/model';
import type { FieldCheck } from './check.ts';
import { checkLifecycle, checkProbe } from './probe.ts';
import { checkResources } from './resources.ts';

/** The context of a container, which decides which fields it may have. */
export type Setting = {
  readonly volumes: ReadonlySet<unknown>;
  readonly names: Set<string>;
  readonly hostNetwork: boolean;
};

/** compat cluster 3.13: the names of all containers are checked before their other fields. */
export function checkContainers(list: FieldCheck, setting: Setting): void {
  for (const container of list.items()) checkName(container, setting.names);
  for (const container of list.items()) {
    checkContent(container, setting);
    if (list.path.endsWith('.containers')) {
      container.field('restartPolicy').oneOf(['Always', 'Never', 'OnFailure']);
    }
  }
}

export function checkInitContainers(list: FieldCheck, setting: Setting): void {
  for (const container of list.items()) {
    checkName(container, setting.names);
    checkContent(container, setting);
    container.field('restartPolicy').oneOf(['Always', 'Never', 'OnFailure']);
    if (container.field('restartPolicy').value === 'Always') continue;
    for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']) {
      if (container.field(field).isSet) {
        container.field(field).forbidden('may not be set for init containers without restartPolicy=Always');
      }
    }
  }
}

const notEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

/** compat cluster 3.13: an ephemeral container has no fields that other containers could depend on. */
export function checkEphemeralContainers(list: FieldCheck, setting: Setting): void {
  const others = new Set(setting.names);
  for (const container of list.items()) {
    checkName(container, setting.names);
    checkContent(container, setting);
    const target = container.field('targetContainerName');
    if (target.isSet && !others.has(target.text)) target.notFound();
    for (const field of notEphemeral) {
      const part = container.field(field);
      const isEmpty = field === 'resources' && Object.keys(part.object).length === 0;
      if (part.isSet && !isEmpty) part.forbidden('cannot be set for an Ephemeral Container');
    }
  }
}

function checkName(container: FieldCheck, names: Set<string>): void {
  const name = container.field('name').required();
  if (!name.isSet) return;
  name.problems(dnsLabelProblems(name.text));
  if (names.has(name.text)) name.duplicate();
  names.add(name.text);
}

function checkContent(container: FieldCheck, setting: Setting): void {
  const image = container.field('image').required();
  if (image.text !== image.text.trim()) image.invalid('must not have leading or trailing whitespace');
  checkLifecycle(container.field('lifecycle'));
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    checkProbe(container.field(probe), probe !== 'readinessProbe');
  }
  container.field('terminationMessagePolicy').oneOf(['File', 'FallbackToLogsOnError']);
  checkPorts(container.field('ports'), setting.hostNetwork);
  for (const env of container.field('env').items()) checkEnv(env);
  for (const source of container.field('envFrom').items()) checkEnvFrom(source);
  checkMounts(container, setting.volumes);
  container.field('imagePullPolicy').oneOf(['Always', 'IfNotPresent', 'Never']);
  checkResources(container.field('resources'));
  checkSecurity(container.field('securityContext'));
}

function checkPorts(ports: FieldCheck, hostNetwork: boolean): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    checkPortName(port.field('name'), names);
    checkNumbers(port, hostNetwork);
    port.field('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
  }
}

function checkPortName(name: FieldCheck, names: Set<string>): void {
  if (!name.isSet) return;
  name.problems(portNameProblems(name.text));
  if (names.has(name.text)) name.duplicate();
  names.add(name.text);
}

function checkNumbers(port: FieldCheck, hostNetwork: boolean): void {
  const number = port.field('containerPort');
  if (number.value === undefined || number.value === 0) number.lacking();
  else number.port();
  const host = port.field('hostPort');
  if (host.value !== 0) host.port();
  if (hostNetwork && host.value !== number.value) {
    host.invalid('must match `containerPort` when `hostNetwork` is true', host.value ?? 0);
  }
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function checkEnv(env: FieldCheck): void {
  const name = env.field('name').required();
  if (name.isSet && !/^[\x20-<>-~]+$/.test(name.text)) {
    name.invalid(
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
  }
  const from = env.field('valueFrom');
  if (!from.isSet) return;
  const given = sources.filter((source) => from.field(source).isSet);
  checkSources(from);
  if (given.length === 0) {
    const all = sources.map((source) => `\`${source}\``);
    from.invalid(`must specify one of: ${all.slice(0, -1).join(', ')} or ${all.at(-1)}`, '');
  } else if (env.field('value').isSet) from.invalid('may not be specified when `value` is not empty', '');
  else if (given.length > 1) from.invalid('may not have more than one field specified at a time', '');
}

function checkSources(from: FieldCheck): void {
  const path = from.field('fieldRef').field('fieldPath');
  if (from.field('fieldRef').isSet) {
    if (!path.isSet) path.lacking();
    else if (!isFieldPath(path.text)) {
      path.invalid(`error converting fieldPath: field label not supported: ${path.text}`);
    }
  }
  if (from.field('resourceFieldRef').isSet) from.field('resourceFieldRef').field('resource').required();
  for (const kind of ['configMapKeyRef', 'secretKeyRef']) {
    const reference = from.field(kind);
    if (!reference.isSet) continue;
    const name = reference.field('name');
    for (const problem of dnsSubdomainProblems(name.text)) name.invalid(problem, name.text);
    reference.field('key').required();
  }
}

const isFieldPath = (path: string): boolean =>
  /^metadata\.(?:annotations|labels)(?:\['.*'\])?$/.test(path) ||
  [
    'metadata.name',
    'metadata.namespace',
    'metadata.uid',
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.serviceAccountName',
    'spec.schedulerName',
    'status.phase',
    'status.hostIP',
    'status.hostIPs',
    'status.podIP',
    'status.podIPs',
  ].includes(path);

function checkEnvFrom(source: FieldCheck): void {
  const given = ['configMapRef', 'secretRef'].filter((kind) => source.field(kind).isSet);
  if (given.length === 0) source.invalid('must specify one of: `configMapRef` or `secretRef`', '');
  if (given.length > 1) source.invalid('may not have more than one field specified at a time', '');
  for (const kind of given) source.field(kind).field('name').required();
}

function checkMounts(container: FieldCheck, volumes: ReadonlySet<unknown>): void {
  const paths = new Set<string>();
  for (const mount of container.field('volumeMounts').items()) {
    const name = mount.field('name').required();
    if (!volumes.has(name.value)) name.notFound(name.text);
    const path = mount.field('mountPath').required();
    if (path.isSet && paths.has(path.text)) path.invalid('must be unique');
    paths.add(path.text);
    const below = mount.field('subPath');
    const at = container.field('volumeMounts').field('subPath');
    if (below.text.startsWith('/')) at.invalid('must be a relative path', below.text);
    else if (below.text.split('/').includes('..')) at.invalid("must not contain '..'", below.text);
  }
}

const most = 2147483647;

function checkSecurity(context: FieldCheck): void {
  for (const field of ['runAsUser', 'runAsGroup']) context.field(field).between(0, most);
  const { privileged, allowPrivilegeEscalation } = context.object;
  if (privileged === true && allowPrivilegeEscalation === false) {
    context.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  }
}

export function checkPodSecurity(context: FieldCheck): void {
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup']) context.field(field).between(0, most);
  context.field('seccompProfile').field('type').oneOf(['Localhost', 'RuntimeDefault', 'Unconfined']);
}

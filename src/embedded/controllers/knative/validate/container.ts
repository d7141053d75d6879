import { posix } from 'node:path';
import type { JsonObject } from '#kubernetes/schema';
import { flag, isOn, isSecure, type KnativeConfig } from '../config.ts';
import type { RevisionContainer } from '../view.ts';
import { isImageReference } from './image-reference.ts';
import { maxInt32 } from './probe.ts';
import {
  both,
  each,
  explained,
  invalid,
  type KnativeProblem,
  missing,
  neither,
  outOfBounds,
  said,
  under,
  unmasked,
} from './problem.ts';
import type { VolumesByName } from './volume.ts';

/** The role of a container in its pod: the one that serves requests, a sidecar, or one that runs before. */
type Role = 'serving' | 'sidecar' | 'init';

const fields = new Set(
  (
    'name args command env envFrom workingDir image volumeMounts imagePullPolicy livenessProbe ports ' +
    'readinessProbe startupProbe resources terminationMessagePath terminationMessagePolicy securityContext'
  ).split(' '),
);

/** compat cluster 5.6: all rules for a container except those for its probes. */
export function ofContainer(
  config: KnativeConfig,
  container: RevisionContainer,
  role: Role,
  volumes: VolumesByName,
): KnativeProblem[] {
  const { name = '', terminationMessagePolicy: policy = '' } = container;
  const named = name === 'queue-proxy' ? [said(`"${name}" is a reserved container name`, 'name')] : [];
  const policies = ['', 'File', 'FallbackToLogsOnError'];
  return [
    ...unmasked(container, (field) => fields.has(field)),
    ...named,
    ...under('env', ofEnv(config, container, role)),
    ...under('envFrom', ofEnvFrom(container)),
    ...ofImage(container.image ?? ''),
    ...under('ports', ofPorts(container, role)),
    ...under('resources', unmasked(container.resources, isAmount)),
    ...under('securityContext', ofSecurity(config, container.securityContext)),
    ...(policies.includes(policy) ? [] : [invalid(policy, 'terminationMessagePolicy')]),
    ...under('volumeMounts', ofMounts(config, container, volumes)),
  ];
}

const isAmount = (field: string): boolean => field === 'limits' || field === 'requests';

const reservedVariables = ['K_SERVICE', 'K_CONFIGURATION', 'K_REVISION'];

function ofEnv(config: KnativeConfig, { env }: RevisionContainer, role: Role): KnativeProblem[] {
  const reserved = role === 'serving' ? ['PORT', ...reservedVariables] : reservedVariables;
  const mayRefer = flag(config, 'kubernetes.podspec-fieldref') !== 'disabled';
  const allowed = ['configMapKeyRef', 'secretKeyRef', ...(mayRefer ? ['fieldRef', 'resourceFieldRef'] : [])];
  return each(env, ({ name = '', valueFrom }) => [
    ...(name === '' ? [missing('name')] : []),
    ...(reserved.includes(name) ? [said(`"${name}" is a reserved environment variable`, 'name')] : []),
    ...under(
      'valueFrom',
      unmasked(valueFrom, (field) => allowed.includes(field)),
    ),
  ]);
}

function ofEnvFrom({ envFrom = [] }: RevisionContainer): KnativeProblem[] {
  return envFrom.flatMap(({ configMapRef, secretRef }) => {
    if (configMapRef && secretRef) return [both('configMapRef', 'secretRef')];
    return configMapRef || secretRef ? [] : [neither('configMapRef', 'secretRef')];
  });
}

function ofImage(image: string): KnativeProblem[] {
  if (image === '') return [missing('image')];
  if (isImageReference(image)) return [];
  const details = `image: "${image}", error: could not parse reference: ${image}`;
  return [explained(said('Failed to parse image reference', 'image'), details)];
}

const reservedPorts = new Set([8008, 8012, 8013, 8022, 9090, 9091]);

function ofPorts({ ports = [] }: RevisionContainer, role: Role): KnativeProblem[] {
  const [first] = ports;
  if (!first) return [];
  if (role === 'init') return ports.flatMap((port) => ofPortNumber(port.containerPort ?? 0));
  const { name = '', protocol = 'TCP', containerPort = 0 } = first;
  const names = "Name must be empty, or one of: 'h2c', 'http1'";
  return [
    ...ofPortNumber(containerPort),
    ...(protocol === 'TCP' ? [] : [invalid(protocol, 'protocol')]),
    ...(['', 'h2c', 'http1'].includes(name)
      ? []
      : [explained(said(`Port name ${name} is not allowed`, ''), names)]),
  ];
}

function ofPortNumber(port: number): KnativeProblem[] {
  if (port < 0 || port > 65_535) return [outOfBounds(port, 0, 65_535, 'containerPort')];
  if (!reservedPorts.has(port)) return [];
  const text = `${port} is a reserved port`;
  return [explained(invalid(text, 'containerPort'), `${text}, please use a different value`)];
}

const securityFields = new Set(
  (
    'capabilities readOnlyRootFilesystem runAsUser runAsGroup runAsNonRoot allowPrivilegeEscalation ' +
    'seccompProfile'
  ).split(' '),
);

function ofSecurity(config: KnativeConfig, context: JsonObject | undefined): KnativeProblem[] {
  const { capabilities, privileged } = (context ?? {}) as { capabilities?: JsonObject; privileged?: boolean };
  const mayAdd =
    isOn(config, 'kubernetes.containerspec-addcapabilities') ||
    (isSecure(config) && String(capabilities?.add) === 'NET_BIND_SERVICE');
  return [
    ...unmasked(
      context,
      (field) => securityFields.has(field) || (field === 'privileged' && privileged === false),
    ),
    ...under(
      'capabilities',
      unmasked(capabilities, (field) => field === 'drop' || mayAdd),
    ),
    ...ofIds(context, ['runAsUser', 'runAsGroup']),
  ];
}

/** Users and groups fit into 32 bits. */
export function ofIds(context: JsonObject | undefined, names: readonly string[]): KnativeProblem[] {
  return names.flatMap((name) => {
    const id = Number(context?.[name] ?? 0);
    return id < 0 || id > maxInt32 ? [outOfBounds(id, 0, maxInt32, name)] : [];
  });
}

type Mount = {
  readonly name?: string;
  readonly mountPath?: string;
  readonly readOnly?: boolean;
  readonly mountPropagation?: string;
};

const mountFields = new Set(['name', 'readOnly', 'mountPath', 'subPath']);

function ofMounts(
  config: KnativeConfig,
  { volumeMounts }: RevisionContainer,
  volumes: VolumesByName,
): KnativeProblem[] {
  const seen = new Set<string>();
  const feature = 'kubernetes.podspec-volumes-mount-propagation';
  const isKnown = (field: string): boolean =>
    mountFields.has(field) || (field === 'mountPropagation' && flag(config, feature) !== 'disabled');
  return each(volumeMounts as readonly Mount[] | undefined, (mount) => {
    const { name = '', mountPath = '' } = mount;
    const found = [
      ...unmasked(mount, isKnown),
      ...(volumes.has(name) ? [] : [said('volumeMount has no matching volume', 'name')]),
      ...ofMountPath(mountPath, seen),
      ...ofReadOnly(mount, volumes),
      ...ofPropagation(mount, isOn(config, feature)),
    ];
    seen.add(cleanPath(mountPath));
    return found;
  });
}

const cleanPath = (path: string): string => posix.normalize(path).replace(/(?<=.)\/$/, '');

function ofMountPath(path: string, seen: ReadonlySet<string>): KnativeProblem[] {
  if (path === '') return [missing('mountPath')];
  const clean = cleanPath(path);
  if (['/', '/dev', '/dev/log'].includes(clean))
    return [said(`mountPath "${clean}" is a reserved path`, 'mountPath')];
  if (!path.startsWith('/')) return [invalid(path, 'mountPath')];
  return seen.has(clean) ? [invalid(`"${path}" must be unique`, 'mountPath')] : [];
}

function ofReadOnly({ name = '', readOnly = false }: Mount, volumes: VolumesByName): KnativeProblem[] {
  const volume = volumes.get(name) ?? {};
  const isWritable = ['emptyDir', 'persistentVolumeClaim', 'ephemeral'].some((kind) => volume[kind]);
  if (!isWritable && !readOnly)
    return [said('volume mount should be readOnly for this type of volume', 'readOnly')];
  const claim = volume.persistentVolumeClaim as { readOnly?: boolean } | undefined;
  return claim?.readOnly && !readOnly ? [said('volume is readOnly but volume mount is not', 'readOnly')] : [];
}

function ofPropagation({ name, mountPropagation: way }: Mount, isAllowed: boolean): KnativeProblem[] {
  if (way === undefined) return [];
  const off = `Volume Mount Propagation support is disabled, but found volume mount ${name} with mount propagation`;
  const wrong = said('mount propagation should be set to None or HostToContainer', 'mountPropagation');
  return [...(isAllowed ? [] : [said(off)]), ...(['None', 'HostToContainer'].includes(way) ? [] : [wrong])];
}

/** compat cluster 5.6: init containers have no probes and no lifecycle. */
export const ofInitFields = (container: RevisionContainer): KnativeProblem[] =>
  ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle']
    .filter((field) => (container as JsonObject)[field] !== undefined)
    .map((field) => said('field not allowed in an init container', field));

const insecure =
  'Kubernetes default value is insecure, Knative may default this to secure in a future release';

/** compat cluster 5.6: warnings about security fields that Kubernetes leaves open. */
export function securityWarnings(context: JsonObject = {}, pod: JsonObject = {}): KnativeProblem[] {
  const warn = (path: string): KnativeProblem => ({ ...said(insecure, path), isWarning: true });
  const isSet = (field: string): boolean => context[field] !== undefined || pod[field] !== undefined;
  const typeOf = (of: JsonObject) => (of.seccompProfile as { type?: string } | undefined)?.type;
  const seccomp = !isSet('seccompProfile')
    ? [warn('seccompProfile')]
    : typeOf(context) || typeOf(pod)
      ? []
      : [warn('seccompProfile.type')];
  return [
    ...(isSet('runAsNonRoot') ? [] : [warn('runAsNonRoot')]),
    ...(context.allowPrivilegeEscalation === undefined ? [warn('allowPrivilegeEscalation')] : []),
    ...seccomp,
    ...capabilityWarnings(context.capabilities as JsonObject | undefined, warn),
  ];
}

function capabilityWarnings(
  capabilities: JsonObject | undefined,
  warn: (path: string) => KnativeProblem,
): KnativeProblem[] {
  if (capabilities === undefined) return [warn('capabilities')];
  const { drop } = capabilities as { drop?: readonly string[] };
  if (drop === undefined) return [warn('capabilities.drop')];
  if (drop[0] !== 'all') return [];
  const details = "Must be spelled as 'ALL'";
  return [{ ...explained(invalid('all', 'capabilities.drop'), details), isWarning: true }];
}

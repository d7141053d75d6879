import { dnsSubdomainProblems } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { flag, isOn, isSecure, isTrue, type KnativeConfig, wholeNumber } from '../config.ts';
import { revisionFields } from '../go-types.ts';
import type { RevisionContainer, RevisionSpec } from '../view.ts';
import { ofContainer, ofIds, ofInitFields, securityWarnings } from './container.ts';
import { ofProbe, ofReadiness, ofSidecarProbe } from './probe.ts';
import {
  explained,
  invalid,
  type KnativeProblem,
  missing,
  outOfBounds,
  said,
  under,
  unmasked,
} from './problem.ts';
import { ofVolumes, type VolumesByName } from './volume.ts';

/** compat cluster 5.6: the fields of a pod that a user may set. */
const allowed = new Set([
  ...revisionFields,
  'serviceAccountName',
  'containers',
  'volumes',
  'imagePullSecrets',
  'enableServiceLinks',
]);

/** Fields that an administrator may allow, under `kubernetes.podspec-…` of config-features. */
const gated = new Set([
  'affinity',
  'topologySpreadConstraints',
  'hostAliases',
  'nodeSelector',
  'runtimeClassName',
  'tolerations',
  'securityContext',
  'shareProcessNamespace',
  'priorityClassName',
  'schedulerName',
  'dnsPolicy',
  'dnsConfig',
  'hostIPC',
  'hostPID',
  'hostNetwork',
]);

const featureOf = (field: string): string => `kubernetes.podspec-${field.toLowerCase()}`;
const initFeature = 'kubernetes.podspec-init-containers';

export function ofRevisionSpec(config: KnativeConfig, spec: RevisionSpec): KnativeProblem[] {
  const { containers = [], initContainers = [], volumes = [] } = spec;
  const all = [...initContainers, ...containers];
  const mounted = new Set(
    all.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => String(name))),
  );
  const byName: VolumesByName = new Map(volumes.map((volume) => [volume.name ?? '', volume as JsonObject]));
  return [
    ...unmasked(spec, (field) => mayBeSet(config, spec, field)),
    ...under('securityContext', ofPodSecurity(config, spec.securityContext)),
    ...warnings(config, spec),
    ...under('volumes', ofVolumes(config, volumes as readonly JsonObject[], mounted)),
    ...ofInitContainers(config, spec, byName),
    ...under('containers[*]', ofContainerPorts(containers)),
    ...ofContainers(config, containers, byName),
    ...ofAccount(spec.serviceAccountName ?? ''),
    ...ofLimits(config, spec),
  ];
}

function mayBeSet(config: KnativeConfig, spec: RevisionSpec, field: string): boolean {
  if (field === 'automountServiceAccountToken') return spec.automountServiceAccountToken === false;
  if (field === 'initContainers') return flag(config, initFeature) !== 'disabled';
  if (field === 'securityContext' && flag(config, 'secure-pod-defaults') !== 'disabled') return true;
  return allowed.has(field) || (gated.has(field) && flag(config, featureOf(field)) !== 'disabled');
}

const podSecurityFields = [
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'fsGroup',
  'supplementalGroups',
  'seccompProfile',
];

function ofPodSecurity(config: KnativeConfig, context: JsonObject | undefined): KnativeProblem[] {
  const isFree = flag(config, featureOf('securityContext')) !== 'disabled';
  const profile = (context?.seccompProfile as { type?: string } | undefined)?.type ?? '';
  const hasPlainProfile = isSecure(config) && ['RuntimeDefault', 'Unconfined'].includes(profile);
  const isAllowed = (field: string): boolean =>
    isFree ? podSecurityFields.includes(field) : field === 'seccompProfile' && hasPlainProfile;
  const groups = (context?.supplementalGroups ?? []) as readonly number[];
  return [
    ...unmasked(context, isAllowed),
    ...ofIds(context, ['runAsUser', 'runAsGroup', 'fsGroup']),
    ...groups.flatMap((group, index) =>
      ofIds({ '': group }, ['']).flatMap((problem) => under(`supplementalGroups[${index}]`, [problem])),
    ),
  ];
}

function warnings(
  config: KnativeConfig,
  { containers, initContainers, securityContext }: RevisionSpec,
): KnativeProblem[] {
  if (isSecure(config)) return [];
  const of = (list: readonly RevisionContainer[] | undefined, name: string): KnativeProblem[] =>
    (list ?? []).flatMap((one, index) =>
      under(`${name}[${index}].securityContext`, securityWarnings(one.securityContext, securityContext)),
    );
  return [...of(containers, 'containers'), ...of(initContainers, 'initContainers')];
}

function ofInitContainers(
  config: KnativeConfig,
  { initContainers = [], containers = [] }: RevisionSpec,
  volumes: VolumesByName,
): KnativeProblem[] {
  if (initContainers.length === 0) return [];
  if (!isOn(config, initFeature)) {
    const count = initContainers.length;
    return [said(`pod spec support for init-containers is off, but found ${count} init containers`)];
  }
  const names = new Set(containers.map(({ name }) => name));
  // compat cluster 5.6: they are reported as if they were containers
  return initContainers.flatMap((one, index) =>
    under(`containers[${index}]`, [
      ...(names.has(one.name) ? [said(`duplicate container name "${one.name}"`, 'name')] : []),
      ...ofInitFields(one),
      ...ofContainer(config, one, 'init', volumes),
    ]),
  );
}

function ofContainerPorts(containers: readonly RevisionContainer[]): KnativeProblem[] {
  const count = containers.reduce((sum, { ports = [] }) => sum + ports.length, 0);
  if (count === 0) return containers.length > 1 ? [missing('ports')] : [];
  if (count === 1) return [];
  const details = 'Only a single port is allowed across all containers';
  return [explained(said('more than one container port is set', 'ports'), details)];
}

function ofContainers(
  config: KnativeConfig,
  containers: readonly RevisionContainer[],
  volumes: VolumesByName,
): KnativeProblem[] {
  if (containers.length === 0) return [missing('containers')];
  if (containers.length > 1 && !isOn(config, 'multi-container'))
    return [said(`multi-container is off, but found ${containers.length} containers`)];
  const portName = containers.findLast(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.name || 'http';
  const names = new Set<string>();
  let found: KnativeProblem[] = [];
  for (const [index, one] of containers.entries()) {
    const at = `containers[${index}]`;
    const { name = '' } = one;
    // compat cluster 5.6: problems found before a second container of a name are reported as if they were below it
    if (names.has(name)) found = under(at, [...found, said(`duplicate container name "${name}"`, 'name')]);
    names.add(name);
    const role = containers.length === 1 || one.ports?.length ? 'serving' : 'sidecar';
    const own = role === 'serving' ? ofServing(one, portName) : ofSidecar(config, one);
    found.push(...under(at, [...own, ...ofContainer(config, one, role, volumes)]));
  }
  return found;
}

function ofServing(
  { livenessProbe, readinessProbe, startupProbe }: RevisionContainer,
  port: string,
): KnativeProblem[] {
  return [
    ...under('livenessProbe', ofProbe(livenessProbe, port)),
    ...under('readinessProbe', [...ofProbe(readinessProbe, port), ...ofReadiness(readinessProbe)]),
    ...under('startupProbe', ofProbe(startupProbe, port)),
  ];
}

function ofSidecar(
  config: KnativeConfig,
  { livenessProbe, readinessProbe, startupProbe }: RevisionContainer,
): KnativeProblem[] {
  const isAllowed = isOn(config, 'multi-container-probing');
  return [
    ...under('livenessProbe', ofSidecarProbe(livenessProbe, isAllowed)),
    ...under('readinessProbe', [
      ...ofSidecarProbe(readinessProbe, isAllowed),
      ...(isAllowed ? ofReadiness(readinessProbe) : []),
    ]),
    ...under('startupProbe', ofSidecarProbe(startupProbe, isAllowed)),
  ];
}

const ofAccount = (name: string): KnativeProblem[] =>
  name === ''
    ? []
    : dnsSubdomainProblems(name).map((why) => explained(invalid(name, 'serviceAccountName'), why));

function ofLimits(
  config: KnativeConfig,
  { timeoutSeconds = 0, containerConcurrency }: RevisionSpec,
): KnativeProblem[] {
  const map = 'config-defaults';
  const longest = wholeNumber(config, map, 'max-revision-timeout-seconds', 600);
  const most = wholeNumber(config, map, 'container-concurrency-max-limit', 1000);
  const least = isTrue(config, map, 'allow-container-concurrency-zero', true) ? 0 : 1;
  const concurrency = containerConcurrency ?? least;
  return [
    ...(timeoutSeconds > longest || timeoutSeconds < 0
      ? [outOfBounds(timeoutSeconds, 0, longest, 'timeoutSeconds')]
      : []),
    ...(concurrency < least || concurrency > most
      ? [outOfBounds(concurrency, least, most, 'containerConcurrency')]
      : []),
  ];
}

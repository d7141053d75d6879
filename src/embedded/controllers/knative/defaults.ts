import type { JsonObject } from '#kubernetes/schema';
import { flag, isSecure, isTrue, type KnativeConfig, wholeNumber } from './config.ts';
import { childName } from './names.ts';
import type {
  RevisionContainer,
  RevisionProbe,
  RevisionSpec,
  RevisionTemplate,
  TrafficTarget,
} from './view.ts';

const settings = 'config-defaults';

/** compat cluster 5.6: the defaults that Knative's webhook sets in a template. Idempotent. */
export function defaultTemplate(
  config: KnativeConfig,
  template: RevisionTemplate,
  isNew: boolean,
): RevisionTemplate {
  return template.spec ? { ...template, spec: defaultRevisionSpec(config, template.spec, isNew) } : template;
}

export function defaultRevisionSpec(config: KnativeConfig, spec: RevisionSpec, isNew: boolean): RevisionSpec {
  const named = withNames(config, spec);
  const { containers, initContainers } = named;
  const links = config(settings)['enable-service-links'] ?? 'false';
  return {
    ...named,
    ...defaultTimeouts(config, spec),
    containerConcurrency:
      spec.containerConcurrency ?? wholeNumber(config, settings, 'container-concurrency', 0),
    ...(containers && {
      containers: containers.map((one) => secured(config, named, defaultContainer(config, named, one))),
    }),
    ...(initContainers && {
      initContainers: initContainers.map((one) => secured(config, named, one)),
    }),
    ...(isNew &&
      spec.enableServiceLinks === undefined &&
      links !== 'default' && { enableServiceLinks: isTrue(config, settings, 'enable-service-links', false) }),
  };
}

function defaultTimeouts(config: KnativeConfig, spec: RevisionSpec): Partial<RevisionSpec> {
  const usual = wholeNumber(config, settings, 'revision-timeout-seconds', 300);
  const timeoutSeconds = spec.timeoutSeconds || usual;
  const idle = wholeNumber(config, settings, 'revision-idle-timeout-seconds', 0);
  const start = wholeNumber(config, settings, 'revision-response-start-timeout-seconds', usual);
  const isShorter = (seconds: number) => seconds !== 0 && seconds < timeoutSeconds;
  return {
    timeoutSeconds,
    ...(spec.idleTimeoutSeconds === undefined && isShorter(idle) && { idleTimeoutSeconds: idle }),
    ...(spec.responseStartTimeoutSeconds === undefined &&
      isShorter(start) && { responseStartTimeoutSeconds: start }),
  };
}

function withNames(config: KnativeConfig, spec: RevisionSpec): RevisionSpec {
  const { containers, initContainers } = spec;
  const taken = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name ?? ''));
  const word = (name: string, otherwise: string): string => config(settings)[name] || otherwise;
  const user = word('container-name-template', 'user-container');
  const init = word('init-container-name-template', 'init-container');
  return {
    ...spec,
    ...(containers && { containers: named(containers, user, taken) }),
    ...(initContainers && { initContainers: named(initContainers, init, taken) }),
  };
}

/** A single container gets the default name; several are numbered, skipping names in use. */
function named(
  containers: readonly RevisionContainer[],
  word: string,
  taken: ReadonlySet<string>,
): RevisionContainer[] {
  let next = 0;
  const free = (): string => {
    if (containers.length === 1 && !taken.has(word)) return word;
    let name: string;
    do name = childName(word, `-${next++}`);
    while (taken.has(name));
    return name;
  };
  return containers.map((one) => (one.name ? one : { ...one, name: free() }));
}

function defaultContainer(
  config: KnativeConfig,
  spec: RevisionSpec,
  container: RevisionContainer,
): RevisionContainer {
  const isServing = (spec.containers ?? []).length === 1 || (container.ports ?? []).length > 0;
  const { livenessProbe, startupProbe, volumeMounts } = container;
  const readinessProbe = readiness(
    isServing ? withHandler(container.readinessProbe) : container.readinessProbe,
  );
  return {
    ...container,
    resources: defaultResources(config, container.resources),
    ...(readinessProbe && { readinessProbe: withService(readinessProbe) }),
    ...(livenessProbe && { livenessProbe: withService(livenessProbe) }),
    ...(startupProbe && { startupProbe: withService(startupProbe) }),
    ...(volumeMounts && { volumeMounts: volumeMounts.map((one) => readOnly(spec, one)) }),
  };
}

const amounts = ['cpu', 'memory', 'ephemeral-storage'];

function defaultResources(config: KnativeConfig, resources: RevisionContainer['resources'] = {}): JsonObject {
  const filled = (part: 'requests' | 'limits', word: string): JsonObject => {
    const given = resources[part] ?? {};
    const usual = amounts.flatMap((name) => {
      const amount = config(settings)[`revision-${name}-${word}`];
      return amount === undefined || name in given ? [] : [[name, amount]];
    });
    const all = { ...given, ...Object.fromEntries(usual) };
    return Object.keys(all).length > 0 ? { [part]: all } : {};
  };
  return { ...resources, ...filled('limits', 'limit'), ...filled('requests', 'request') };
}

/** compat cluster 5.6: the serving container is probed, by a TCP connection if nothing else is configured. */
function withHandler(probe: RevisionProbe = {}): RevisionProbe {
  const { tcpSocket, httpGet, exec, grpc } = probe;
  return [tcpSocket, httpGet, exec, grpc].some((one) => one !== undefined)
    ? probe
    : { ...probe, tcpSocket: { port: 0 } };
}

function readiness(probe: RevisionProbe | undefined): RevisionProbe | undefined {
  if (!probe) return undefined;
  const { failureThreshold, timeoutSeconds, successThreshold } = probe;
  const timed = probe.periodSeconds
    ? { failureThreshold: failureThreshold || 3, timeoutSeconds: timeoutSeconds || 1 }
    : {};
  return { ...probe, ...timed, successThreshold: successThreshold || 1 };
}

const withService = (probe: RevisionProbe): RevisionProbe =>
  probe.grpc && probe.grpc.service === undefined ? { ...probe, grpc: { ...probe.grpc, service: '' } } : probe;

function readOnly({ volumes = [] }: RevisionSpec, mount: JsonObject): JsonObject {
  const volume = volumes.find(({ name }) => name === mount.name) as JsonObject | undefined;
  const isWritable = ['emptyDir', 'persistentVolumeClaim', 'ephemeral'].some(
    (kind) => volume?.[kind] !== undefined,
  );
  return isWritable ? mount : { ...mount, readOnly: true };
}

/** compat cluster 5.6: secure-pod-defaults sets the security fields that a container leaves out. */
function secured(config: KnativeConfig, spec: RevisionSpec, container: RevisionContainer): RevisionContainer {
  if (!isSecure(config)) return container;
  const pod = (spec.securityContext ?? {}) as JsonObject;
  const own = (container.securityContext ?? {}) as JsonObject;
  const hasProfile = (of: JsonObject) => !!(of.seccompProfile as { type?: string } | undefined)?.type;
  const isStrict = flag(config, 'secure-pod-defaults') === 'enabled';
  const mustNotBeRoot = isStrict && pod.runAsNonRoot === undefined && own.runAsNonRoot === undefined;
  return {
    ...container,
    securityContext: {
      ...own,
      allowPrivilegeEscalation: own.allowPrivilegeEscalation ?? false,
      capabilities: own.capabilities ?? safeCapabilities(container),
      ...(!hasProfile(pod) &&
        !hasProfile(own) && {
          seccompProfile: { ...(own.seccompProfile as JsonObject), type: 'RuntimeDefault' },
        }),
      ...(mustNotBeRoot && { runAsNonRoot: true }),
    },
  };
}

function safeCapabilities({ ports = [] }: RevisionContainer): JsonObject {
  const needsLowPort = ports.some(({ containerPort = 0 }) => containerPort < 1024);
  return { drop: ['ALL'], ...(needsLowPort && { add: ['NET_BIND_SERVICE'] }) };
}

/** Sets latestRevision and percent of every target; a Service without targets sends everything to the latest. */
export function defaultTraffic(
  traffic: readonly TrafficTarget[] | undefined,
  isService: boolean,
): readonly TrafficTarget[] | undefined {
  if (!traffic || traffic.length === 0) return isService ? [{ latestRevision: true, percent: 100 }] : traffic;
  return traffic.map((target) => ({
    ...target,
    latestRevision: target.latestRevision ?? !target.revisionName,
    percent: target.percent ?? 0,
  }));
}

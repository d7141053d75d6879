import type { JsonObject } from '#schema';
import type {
  RevisionContainer,
  RevisionProbe,
  RevisionSpec,
  RevisionTemplate,
  TrafficTarget,
} from './view.ts';

/** compat 5.6: what Knative's webhook fills into a template. Doing it again changes nothing. */
export function defaultTemplate(template: RevisionTemplate, isNew: boolean): RevisionTemplate {
  return template.spec ? { ...template, spec: defaultRevisionSpec(template.spec, isNew) } : template;
}

export function defaultRevisionSpec(spec: RevisionSpec, isNew: boolean): RevisionSpec {
  const named = withNames(spec);
  const containers = (named.containers ?? []).map((one) => defaultContainer(named, one));
  return {
    ...named,
    containerConcurrency: spec.containerConcurrency ?? 0,
    timeoutSeconds: spec.timeoutSeconds || 300,
    ...(spec.containers && { containers }),
    ...(isNew && spec.enableServiceLinks === undefined && { enableServiceLinks: false }),
  };
}

function withNames(spec: RevisionSpec): RevisionSpec {
  const { containers = [], initContainers = [] } = spec;
  const taken = new Set([...containers, ...initContainers].map(({ name }) => name ?? ''));
  return {
    ...spec,
    ...(spec.containers && { containers: named(containers, 'user-container', taken) }),
    ...(spec.initContainers && { initContainers: named(initContainers, 'init-container', taken) }),
  };
}

/** One container is called just so; several are numbered, around the names already given. */
function named(
  containers: readonly RevisionContainer[],
  word: string,
  taken: ReadonlySet<string>,
): RevisionContainer[] {
  let next = 0;
  const free = (): string => {
    let name = word;
    if (containers.length === 1 && !taken.has(word)) return name;
    do name = `${word}-${next++}`;
    while (taken.has(name));
    return name;
  };
  return containers.map((one) => (one.name ? one : { ...one, name: free() }));
}

function defaultContainer(spec: RevisionSpec, container: RevisionContainer): RevisionContainer {
  const isServing = (spec.containers ?? []).length === 1 || (container.ports ?? []).length > 0;
  const readiness = isServing ? readinessProbe(container.readinessProbe) : container.readinessProbe;
  return {
    ...container,
    resources: container.resources ?? {},
    ...(container.ports && {
      ports: container.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })),
    }),
    ...(readiness && { readinessProbe: withPort(readiness) }),
    ...(container.livenessProbe && { livenessProbe: withPort(container.livenessProbe) }),
    ...(container.startupProbe && { startupProbe: withPort(container.startupProbe as RevisionProbe) }),
    ...(container.volumeMounts && { volumeMounts: container.volumeMounts.map((one) => readOnly(spec, one)) }),
  };
}

function readinessProbe(probe: RevisionProbe = {}): RevisionProbe {
  const hasHandler = [probe.tcpSocket, probe.httpGet, probe.exec, probe.grpc].some(
    (one) => one !== undefined,
  );
  const timed = probe.periodSeconds ? { failureThreshold: 3, timeoutSeconds: 1 } : {};
  return { ...timed, successThreshold: 1, ...probe, ...(!hasHandler && { tcpSocket: {} }) };
}

/** compat 5.6: a port nobody gave is written down as 0, which is how a startup probe comes to break a Deployment. */
function withPort(probe: RevisionProbe): RevisionProbe {
  const filled = (field: 'httpGet' | 'tcpSocket') => {
    const handler = probe[field];
    return handler && handler.port === undefined ? { [field]: { ...handler, port: 0 } } : {};
  };
  return { ...probe, ...filled('httpGet'), ...filled('tcpSocket') };
}

function readOnly({ volumes = [] }: RevisionSpec, mount: JsonObject): JsonObject {
  const volume = volumes.find(({ name }) => name === mount.name) as JsonObject | undefined;
  const isWritable = ['emptyDir', 'persistentVolumeClaim', 'ephemeral'].some(
    (kind) => volume?.[kind] !== undefined,
  );
  return isWritable ? mount : { ...mount, readOnly: true };
}

/** Every target says whether it floats, and its share; without any, everything goes to the latest. */
export function defaultTraffic(traffic: readonly TrafficTarget[] | undefined): readonly TrafficTarget[] {
  if (!traffic || traffic.length === 0) return [{ latestRevision: true, percent: 100 }];
  return traffic.map((target) => ({
    ...target,
    latestRevision: target.latestRevision ?? !target.revisionName,
    percent: target.percent ?? 0,
  }));
}

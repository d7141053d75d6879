import { groupOf, type KubeObject } from '#base/model';

type HandlerName = 'httpGet' | 'tcpSocket' | 'grpc' | 'exec';
type ProbeName = 'livenessProbe' | 'startupProbe' | 'readinessProbe';
type Probe = { readonly [Name in HandlerName]?: { port?: unknown } | null } | null;
type Container = {
  name?: string;
  ports?: readonly ({ containerPort?: unknown } | null)[] | null;
} & { readonly [Name in ProbeName]?: Probe };
type PodSpec = { containers?: readonly (Container | null)[] | null };
type TemplateView = KubeObject<PodSpec & { template?: { spec?: PodSpec } }>;

const kinds: ReadonlySet<string> = new Set(['Service', 'Configuration', 'Revision']);
const probes: readonly ProbeName[] = ['livenessProbe', 'startupProbe', 'readinessProbe'];
const handlers: readonly HandlerName[] = ['httpGet', 'tcpSocket', 'grpc', 'exec'];

/**
 * The facts about Knative's probes, in one place, as the cases of test/conformance/cases/knative recorded them.
 *
 * Serving container (probe-ports.yaml): Knative fills in the port of a liveness probe, but for gRPC; a readiness probe is carried
 * out by its queue-proxy, which knows the port; a startup probe is passed on with port 0, which Kubernetes refuses.
 *
 * Any other container (sidecar-probes.yaml, sidecar-probes-enabled.yaml): the webhook refuses every probe. With
 * `multi-container-probing` it refuses those by HTTP and TCP that name no port; one by gRPC fails later, and so does a readiness
 * probe that names its port by name, because the queue-proxy needs the number.
 */
const servingFaults: Partial<Readonly<Record<ProbeName, readonly HandlerName[]>>> = {
  livenessProbe: ['grpc'],
  startupProbe: ['httpGet', 'tcpSocket', 'grpc'],
};
/** The port that Knative gives a container that declares none. */
const defaultPort = 8080;

const zero = 'names no port, and Knative makes it 0, which Kubernetes refuses';

/** A probe that Knative refuses, or cannot make a Deployment with. */
export type ProbeFault = {
  readonly probe: ProbeName;
  /** The container, as `container web`. */
  readonly words: string;
  /** The path of the handler in the object. */
  readonly path: readonly (string | number)[];
  /** The port to set; undefined where it is unclear, or would not help. */
  readonly port: number | undefined;
  /** What is wrong; continues `the livenessProbe of container web`. */
  readonly problem: string;
  readonly fix: string;
  /** A port is missing, or a setting of Knative. */
  readonly lacks: 'port' | 'feature';
  /** It fails at admission, or when Knative creates the Deployment. */
  readonly at: 'admission' | 'deployment';
};

/**
 * compat engine X-9: the probes that keep a Knative Revision from ever becoming ready, in the order of the containers.
 * `isProbing`: multi-container-probing; undefined: not known.
 */
export function probeFaults(target: KubeObject, isProbing?: boolean): readonly ProbeFault[] {
  if (groupOf(target) !== 'serving.knative.dev' || !kinds.has(target.kind)) return [];
  const { spec } = target as TemplateView;
  const isRevision = target.kind === 'Revision';
  const { containers } = (isRevision ? spec : spec?.template?.spec) ?? {};
  const above = isRevision ? ['spec', 'containers'] : ['spec', 'template', 'spec', 'containers'];
  const all = Array.isArray(containers) ? (containers as readonly (Container | null)[]) : [];
  return all.flatMap((container, at) =>
    faultsOf(container, [...above, at], { count: all.length, isProbing }),
  );
}

type Beside = { readonly count: number; readonly isProbing: boolean | undefined };

function faultsOf(
  container: Container | null,
  above: ProbeFault['path'],
  { count, isProbing }: Beside,
): ProbeFault[] {
  if (!container) return [];
  const isServing = count === 1 || (container.ports?.length ?? 0) > 0;
  const words = container.name ? `container ${container.name}` : 'its container';
  return probes.flatMap((probe) =>
    handlers.flatMap((handler): ProbeFault[] => {
      const given = container[probe]?.[handler];
      if (!given) return [];
      const one = { probe, handler, container, port: given.port, count };
      const fault = isServing ? servingFault(one) : sidecarFault(one, isProbing);
      return fault ? [{ probe, words, path: [...above, probe, handler], ...fault }] : [];
    }),
  );
}

/**
 * Why no Deployment can be made of a Revision in the cluster, and the fix; undefined: nothing is known. Knative itself reports
 * only that it waits, for ever. What the webhook refuses is not in the cluster; what is left lacks the number of a port. It is
 * short, because the health of the application shows the beginning of a message only.
 */
export function undeployable(target: KubeObject, revision: string): string | undefined {
  const first = probeFaults(target, true).find(({ at }) => at === 'deployment');
  if (!first) return undefined;
  return `Revision ${revision} lacks a port: ${first.fix} (${first.words})`;
}

type Given = {
  readonly probe: ProbeName;
  readonly handler: HandlerName;
  readonly container: Container;
  readonly port: unknown;
  /** The number of containers. */
  readonly count: number;
};
type Fault = Omit<ProbeFault, 'probe' | 'words' | 'path'>;

function servingFault({ probe, handler, container, port, count }: Given): Fault | undefined {
  if (port || !servingFaults[probe]?.includes(handler)) return undefined;
  const own = portOf(container, count);
  const fix = `set ${probe}.${handler}.port to ${own ?? "the container's port"}`;
  return { port: own, problem: zero, fix, lacks: 'port', at: 'deployment' };
}

function sidecarFault({ probe, handler, port }: Given, isProbing: boolean | undefined): Fault | undefined {
  // the queue-proxy carries a readiness probe out, and does not look up names
  const needsNumber = probe === 'readinessProbe' && isName(port);
  const lacksPort = handler !== 'exec' && (!port || needsNumber);
  const numbered = `set ${probe}.${handler}.port to the number of its port`;
  if (isProbing) {
    if (!lacksPort) return undefined;
    return { ...unprobed(probe, handler, port), port: undefined, fix: numbered, lacks: 'port' };
  }
  const enabling = 'enable multi-container-probing in ConfigMap knative-serving/config-features';
  const here = 'is not on the serving container';
  const refused =
    isProbing === false
      ? `${here}, and multi-container-probing is off: Knative refuses it`
      : `${here}, and Knative refuses it there unless multi-container-probing is enabled`;
  const also = lacksPort ? '; even then it fails, because it has no number of a port' : '';
  return {
    at: 'admission',
    port: undefined,
    lacks: lacksPort ? 'port' : 'feature',
    problem: `${refused}${also}`,
    fix: `remove it, or ${enabling}${lacksPort ? ` and ${numbered}` : ''}`,
  };
}

/** Where multi-container-probing is enabled. */
function unprobed(probe: ProbeName, handler: HandlerName, port: unknown): Pick<Fault, 'problem' | 'at'> {
  if (port) return { problem: `names its port ${port}, and Knative needs the number`, at: 'deployment' };
  if (handler !== 'grpc')
    return { problem: 'names no port, which Knative refuses but on the serving container', at: 'admission' };
  const problem = probe === 'readinessProbe' ? 'names no port, so that Knative cannot carry it out' : zero;
  return { problem, at: 'deployment' };
}

const isName = (port: unknown): boolean => typeof port === 'string' && port !== '' && !/^\d+$/.test(port);

function portOf({ ports }: Container, containers: number): number | undefined {
  const declared = ports?.[0]?.containerPort;
  if (typeof declared === 'number') return declared;
  return declared === undefined && containers === 1 ? defaultPort : undefined;
}

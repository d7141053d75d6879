import { groupOf, type KubeObject } from '#base/model';

type HandlerName = 'httpGet' | 'tcpSocket' | 'grpc';
type ProbeName = 'livenessProbe' | 'startupProbe' | 'readinessProbe';
type Probe = { readonly [Name in HandlerName]?: { port?: unknown } | null } | null;
type Container = {
  name?: string;
  ports?: readonly ({ containerPort?: unknown } | null)[] | null;
} & { readonly [Name in ProbeName]?: Probe };
type PodSpec = { containers?: readonly Container[] | null };
type TemplateView = KubeObject<PodSpec & { template?: { spec?: PodSpec } }>;

const kinds: ReadonlySet<string> = new Set(['Service', 'Configuration', 'Revision']);

/**
 * The facts about Knative, in one place, as test/conformance/cases/knative/probe-ports.yaml recorded them: which probes of the
 * serving container are refused when they name no port. Of a liveness probe Knative fills in the port of the container, but for
 * gRPC; a readiness probe is carried out by its sidecar, which knows the port; a startup probe is passed on with port 0.
 */
const ofServing: Table = {
  livenessProbe: ['grpc'],
  startupProbe: ['httpGet', 'tcpSocket', 'grpc'],
};
/** Of other containers (sidecar-probes.yaml) the webhook refuses all probes, or with multi-container-probing those without a port. */
const ofSidecar: Table = {
  livenessProbe: ['httpGet', 'tcpSocket', 'grpc'],
  startupProbe: ['httpGet', 'tcpSocket', 'grpc'],
  readinessProbe: ['httpGet', 'tcpSocket', 'grpc'],
};
type Table = Partial<Readonly<Record<ProbeName, readonly HandlerName[]>>>;
/** The port that Knative gives a container that declares none. */
const defaultPort = 8080;

/** A probe that names no port where Knative needs one. */
export type PortlessProbe = {
  readonly probe: ProbeName;
  /** The name of the container; undefined where it has none. */
  readonly container: string | undefined;
  /** The path of the handler in the object. */
  readonly path: readonly (string | number)[];
  /** The port of the container; undefined where several containers make it unclear. */
  readonly port: number | undefined;
};

/** compat engine X-9: the probes that will keep a Knative Revision from ever becoming ready, in the order of the containers. */
export function portlessProbes(target: KubeObject): readonly PortlessProbe[] {
  if (groupOf(target) !== 'serving.knative.dev' || !kinds.has(target.kind)) return [];
  const { spec } = target as TemplateView;
  const isRevision = target.kind === 'Revision';
  const { containers } = (isRevision ? spec : spec?.template?.spec) ?? {};
  const above = isRevision ? ['spec', 'containers'] : ['spec', 'template', 'spec', 'containers'];
  const all = Array.isArray(containers) ? containers : [];
  return all.flatMap((container: Container | null, at) => {
    const isServing = all.length === 1 || (container?.ports?.length ?? 0) > 0;
    const table = Object.entries(isServing ? ofServing : ofSidecar) as [ProbeName, readonly HandlerName[]][];
    return table.flatMap(([probe, handlers]) =>
      handlers.flatMap((handler): PortlessProbe[] => {
        const given = container?.[probe]?.[handler];
        if (!given || given.port) return [];
        const path = [...above, at, probe, handler];
        return [{ probe, container: container?.name, path, port: portOf(container, all.length) }];
      }),
    );
  });
}

/**
 * Why no Deployment can be made of a Revision, and the fix; undefined: nothing is known. Knative itself reports only that it
 * waits, for ever.
 */
export function undeployable(target: KubeObject, revision: string): string | undefined {
  const [first] = portlessProbes(target);
  if (!first) return undefined;
  const { probe, container, port, path } = first;
  const words = container ? `container ${container}` : 'its container';
  const wanted = port === undefined ? "the container's port" : String(port);
  return (
    `Revision ${revision} cannot be deployed: the ${probe} of ${words} names no port, and Knative makes it 0, ` +
    `which Kubernetes refuses; set ${path.slice(-2).join('.')}.port to ${wanted}`
  );
}

function portOf({ ports }: Container, containers: number): number | undefined {
  const declared = ports?.[0]?.containerPort;
  if (typeof declared === 'number') return declared;
  return declared === undefined && containers === 1 ? defaultPort : undefined;
}

import { groupOf, type KubeObject } from '#base/model';

type Handler = { port?: unknown } | null;
type Probe = { httpGet?: Handler; tcpSocket?: Handler } | null;
type Container = { name?: string; livenessProbe?: Probe; startupProbe?: Probe };
type PodSpec = { containers?: readonly Container[] | null };
type TemplateView = KubeObject<PodSpec & { template?: { spec?: PodSpec } }>;

const kinds: ReadonlySet<string> = new Set(['Service', 'Configuration', 'Revision']);
const probes = ['livenessProbe', 'startupProbe'] as const;

/**
 * compat engine X-9: what will keep a Knative Revision from ever becoming ready: a liveness or startup probe that names no
 * port. Knative writes port 0 for it, which the Deployment refuses. A readiness probe needs none: Knative's sidecar probes the
 * port of the container. One warning for each; it is never a reason to stop a sync.
 */
export function probeWarnings(target: KubeObject): readonly string[] {
  if (groupOf(target) !== 'serving.knative.dev' || !kinds.has(target.kind)) return [];
  const { spec } = target as TemplateView;
  const { containers } = (target.kind === 'Revision' ? spec : spec?.template?.spec) ?? {};
  return (containers ?? []).flatMap((container) =>
    probes.filter((probe) => lacksPort(container[probe])).map((probe) => warning(target, container, probe)),
  );
}

const lacksPort = (probe: Probe | undefined): boolean =>
  [probe?.httpGet, probe?.tcpSocket].some((handler) => handler && !handler.port);

function warning({ kind, metadata }: KubeObject, { name }: Container, probe: string): string {
  const place = name ? `container ${name}` : 'its container';
  return `${kind} ${metadata.name}: the ${probe} of ${place} names no port, and Knative makes it 0, which is refused; set it to the container's port`;
}

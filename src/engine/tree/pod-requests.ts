import type { Condition, KubeObject } from '#base/model';
import { type Amounts, amountsIn, maxOf, sumOf } from './amounts.ts';

type ResourceList = Readonly<Record<string, unknown>>;
type Resources = { readonly requests?: ResourceList };
type Container = { readonly name?: string; readonly restartPolicy?: string; readonly resources?: Resources };
type ContainerStatus = {
  readonly name?: string;
  readonly resources?: Resources;
  readonly allocatedResources?: ResourceList;
};
type PodView = KubeObject<
  {
    containers?: Container[];
    initContainers?: Container[];
    resources?: Resources;
    overhead?: ResourceList;
  },
  {
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  }
>;

/**
 * compat engine T-11: what the scheduler reserves for a Pod: the larger of what its containers request together and of what any
 * init container requests beside the sidecars started before it; requests of the Pod itself win; then its overhead.
 */
export function podRequests(object: KubeObject): Amounts {
  const { spec } = object as PodView;
  const { cpu, memory } = amountsIn(spec?.resources?.requests);
  const ofPod = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  return sumOf({ ...containerRequests(object as PodView), ...ofPod }, amountsIn(spec?.overhead));
}

function containerRequests({ spec, status }: PodView): Amounts {
  const effective = effectiveRequests(status);
  const mains = (spec?.containers ?? []).map(effective);
  let sidecars: Amounts = {};
  let peak: Amounts = {};
  for (const container of spec?.initContainers ?? []) {
    if (isSidecar(container)) sidecars = sumOf(sidecars, effective(container));
    const now = isSidecar(container) ? sidecars : sumOf(sidecars, amountsIn(container.resources?.requests));
    peak = maxOf(peak, now);
  }
  return maxOf(mains.reduce(sumOf, sidecars), peak);
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** While a resize is under way, the largest of what is requested, allocated and in use counts. */
function effectiveRequests(status: PodView['status']): (container: Container) => Amounts {
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const byName = new Map(all.map((one) => [one.name, one]));
  const resize = status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return ({ name, resources }) => {
    const requested = amountsIn(resources?.requests);
    const reported = byName.get(name);
    if (!reported?.resources) return requested;
    const held = maxOf(amountsIn(reported.resources.requests), amountsIn(reported.allocatedResources));
    return resize?.reason === 'Infeasible' ? held : maxOf(requested, held);
  };
}

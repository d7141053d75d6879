import type { ResourceTree } from '#serve/api';
import { podsIn } from './logs.ts';
import type { TreeItem } from './resource-forest.ts';

/** A machine of the cluster with the pods of this application on it. */
export type NodePods = {
  readonly name: string;
  readonly pods: readonly TreeItem[];
  readonly uses: readonly NodeUse[];
};

/** How much of a resource of the machine is requested: by this application, by others, of all there is. */
type NodeUse = {
  readonly label: string;
  readonly own: number;
  readonly others: number;
  readonly text: string;
};

const unplaced = 'not on a node yet';

/** The pods by machine, each with what is requested there; machines by name, pods without one last. */
export function podsByNode(items: readonly TreeItem[], hosts: ResourceTree['hosts'] = []): NodePods[] {
  const groups = new Map<string, TreeItem[]>();
  for (const pod of podsIn(items)) {
    const node = pod.info.find(({ name }) => name === 'Node')?.value || unplaced;
    const pods = groups.get(node);
    if (pods) pods.push(pod);
    else groups.set(node, [pod]);
  }
  return [...groups]
    .sort(([a], [b]) => Number(a === unplaced) - Number(b === unplaced) || (a < b ? -1 : 1))
    .map(([name, pods]) => ({ name, pods, uses: usesOf(hosts.find((host) => host.name === name)) }));
}

function usesOf(host: NonNullable<ResourceTree['hosts']>[number] | undefined): NodeUse[] {
  return (host?.resourcesInfo ?? []).flatMap(
    ({ resourceName, requestedByApp, requestedByNeighbors, capacity }) => {
      if (capacity <= 0) return [];
      const [own, others] = [requestedByApp / capacity, requestedByNeighbors / capacity];
      const percent = (share: number) => `${Math.round(share * 100)} %`;
      return [
        {
          label: resourceName,
          own,
          others,
          text: `${percent(own)} by this application, ${percent(others)} by others`,
        },
      ];
    },
  );
}

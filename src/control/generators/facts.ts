import type { Destination } from '#base/model';
import type { GeneratorDeps } from './generator-deps.ts';

type Facts = Pick<GeneratorDeps, 'projects' | 'clusters' | 'namespace'>;

/** What a plan must know about projects and clusters (sources ASA-1). */
export const factsOf = ({ projects, clusters, namespace }: Facts) => ({
  hasProject: (name: string): boolean => projects.get(namespace, name) !== undefined,
  unknownDestination: (destination: Destination): string | undefined => {
    if (clusters.knows(destination)) return undefined;
    const { server, name } = destination;
    return `there are no clusters with ${server ? `server ${server}` : `name ${name}`}: register it or correct the destination`;
  },
});

import type { Check } from '../../check.ts';
import { listAt, project, textAt, textsAt } from '../../kinds.ts';

export const projectAnySource: Check = {
  id: 'project-any-source',
  title: 'a project accepts any repository',
  severity: 'warning',
  why: 'a user who may edit an Application can point it at manifests without a review.',
  fix: "list the team's repositories in spec.sourceRepos",
  reads: [project],
  *find(object) {
    const at = textsAt(object, ['spec', 'sourceRepos']).findIndex((repo) => repo === '*' || repo === '**');
    if (at >= 0)
      yield { at: ['spec', 'sourceRepos', at], message: `${object.metadata.name} accepts any repository` };
  },
};

export const projectAnyDestination: Check = {
  id: 'project-any-destination',
  title: 'a project deploys anywhere',
  severity: 'warning',
  why: 'an application of the project may write into any namespace, kube-system and the control plane included, or into any cluster.',
  fix: "name the server and the team's namespaces; a pattern such as payments-* is bounded",
  reads: [project],
  *find(object) {
    for (const [at, entry] of listAt(object, ['spec', 'destinations']).entries()) {
      const namespace = textAt(entry, ['namespace']);
      const cluster = textAt(entry, ['server']) ?? textAt(entry, ['name']);
      const open = [
        ...(cluster === '*' ? ['any cluster'] : []),
        ...(namespace === '*' ? ['any namespace'] : []),
      ];
      if (open.length > 0)
        yield {
          at: ['spec', 'destinations', at],
          message: `${object.metadata.name} deploys to ${open.join(' and ')}`,
        };
    }
  },
};

export const projectClusterResources: Check = {
  id: 'project-cluster-resources',
  title: 'a project may create any cluster-scoped object',
  severity: 'warning',
  why: 'a ClusterRoleBinding or a webhook escapes the namespace of the team, and with it the project.',
  fix: 'leave spec.clusterResourceWhitelist empty, or name the few kinds that are needed',
  reads: [project],
  *find(object) {
    for (const [at, rule] of listAt(object, ['spec', 'clusterResourceWhitelist']).entries())
      if (textAt(rule, ['kind']) === '*')
        yield {
          at: ['spec', 'clusterResourceWhitelist', at],
          message: `${object.metadata.name} permits every cluster-scoped kind${textAt(rule, ['group']) === '*' ? '' : ` of ${textAt(rule, ['group']) || 'the core group'}`}`,
        };
  },
};

export const projectNoOrphans: Check = {
  id: 'project-no-orphan-monitoring',
  title: 'orphaned objects of a project are not monitored',
  severity: 'note',
  why: 'what was created by hand, or left behind by a moved manifest, is seen by no one.',
  fix: 'set spec.orphanedResources.warn: true',
  reads: [project],
  *find(object) {
    if (object.metadata.name === 'default') return;
    const given = (object as { spec?: { orphanedResources?: unknown } }).spec?.orphanedResources;
    if (given === undefined || given === null)
      yield {
        at: ['spec', 'orphanedResources'],
        message: `${object.metadata.name} does not monitor orphaned resources`,
      };
  },
};

import { type FieldSpec, specs } from './field-path.ts';

const inContainers = ['args', 'command', 'env/value', 'volumeMounts/mountPath'];

/** The fields of a pod in which `$(NAME)` is replaced (sources KV-1). */
const inPod = (spec: string): string[] =>
  ['containers', 'initContainers'].flatMap((list) => inContainers.map((path) => `${spec}/${list}/${path}`));

const kinds = (text: string): { kind: string }[] => text.split(' ').map((kind) => ({ kind }));

/**
 * The fields in which `$(NAME)` is replaced. compat: for a CronJob and a StatefulSet, the server of a volume at unusual
 * paths.
 */
export const varFields: readonly FieldSpec[] = [
  ...specs(kinds('DaemonSet Deployment Job ReplicaSet StatefulSet'), inPod('spec/template/spec').join(' ')),
  ...specs(kinds('DaemonSet Deployment Job ReplicaSet'), 'spec/template/spec/volumes/nfs/server'),
  ...specs(kinds('Deployment'), 'spec/template/metadata/annotations'),
  ...specs(kinds('StatefulSet'), 'spec/volumeClaimTemplates/spec/nfs/server'),
  ...specs(
    kinds('CronJob'),
    [
      ...inPod('spec/jobTemplate/spec/template/spec'),
      'spec/jobTemplate/spec/template/volumes/nfs/server',
    ].join(' '),
  ),
  ...specs(kinds('Pod'), [...inPod('spec'), 'spec/volumes/nfs/server'].join(' ')),
  ...specs(kinds('Ingress'), 'spec/rules/host spec/tls/hosts spec/tls/secretName'),
  ...specs(kinds('Service'), 'spec/ports/port spec/ports/targetPort'),
  ...specs(kinds('PersistentVolume'), 'spec/nfs/server'),
  ...specs([{}], 'metadata/labels metadata/annotations'),
];

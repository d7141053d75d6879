import { dnsLabelProblems } from '#base/model';
import type { FieldCheck } from './check.ts';

/** The required fields of common kinds of volumes. */
const demands: Readonly<Record<string, readonly string[]>> = {
  secret: ['secretName'],
  configMap: ['name'],
  hostPath: ['path'],
  persistentVolumeClaim: ['claimName'],
  nfs: ['server', 'path'],
  csi: ['driver'],
};

/** The names of a pod's volumes, which its containers may mount. */
export function checkVolumes(list: FieldCheck): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  for (const volume of list.items()) {
    const name = volume.field('name').required();
    if (name.isSet) name.problems(dnsLabelProblems(name.text));
    if (name.isSet && names.has(name.value)) name.duplicate();
    names.add(name.value);
    checkSource(volume);
  }
  return names;
}

/** Kubernetes validates the kinds of volume in this order. */
const order = ['emptyDir', 'hostPath', 'gitRepo', 'secret', 'nfs', 'persistentVolumeClaim', 'configMap'];
const rank = (source: string): number => (order.includes(source) ? order.indexOf(source) : order.length);

function checkSource(volume: FieldCheck): void {
  const sources = Object.keys(volume.object)
    .filter((key) => key !== 'name')
    .sort((a, b) => rank(a) - rank(b));
  if (sources.length === 0) volume.lacking('must specify a volume type');
  for (const [index, source] of sources.entries()) {
    if (index > 0) volume.field(source).forbidden('may not specify more than 1 volume type');
    else for (const field of demands[source] ?? []) volume.field(source).field(field).required();
  }
}

import type { KubeObject } from '#base/model';
import { isObject } from '#base/std';
import type { Check, Flaw } from '../../check.ts';
import { containersOf, knativeKinds, listAt, podOf } from '../../kinds.ts';

/** The fields of the first container of an object that are set. */
const fieldsOf = (object: KubeObject): string[] => {
  const [first] = containersOf(object, ['containers']);
  return first ? Object.keys(first.container).filter((field) => field !== 'name') : [];
};

/** What is left of a replaced container, where the files of the render are not at hand. */
function* withoutImage(object: KubeObject): Generator<Flaw> {
  for (const { path, container, words } of containersOf(object, ['containers']))
    if (!container.image)
      yield {
        at: path,
        message: `${words} has no image: a patch that lists containers replaces the list of the base`,
      };
}

export const knativeContainersReplaced: Check = {
  id: 'knative-containers-replaced',
  title: 'a patch replaces the containers of a Knative Service',
  severity: 'error',
  why: 'Kustomize has no schema of Knative, so a patch with a list of containers replaces the whole list: image, ports, resources and probes of the base are lost without a word.',
  fix: 'repeat the whole container in the patch, or use a JSON patch on the one field, such as /spec/template/spec/containers/0/env',
  reads: knativeKinds,
  onApplication: 'knative',
  *find(object, inventory) {
    const sources = inventory.sourcesOf(object).filter((source) => containersOf(source).length > 0);
    if (sources.length < 2) {
      if (inventory.isWhole) yield* withoutImage(object);
      return;
    }
    const kept = new Set(fieldsOf(object));
    const lost = new Set(sources.flatMap(fieldsOf).filter((field) => !kept.has(field)));
    const counts = sources.map(
      (source) => listAt(podOf(source)?.spec, ['containers']).filter(isObject).length,
    );
    const fewer = Math.max(...counts) - containersOf(object, ['containers']).length;
    if (lost.size === 0 && fewer <= 0) return;
    const parts = [
      ...(lost.size > 0 ? [[...lost].sort().join(', ')] : []),
      ...(fewer > 0 ? [`${fewer} container${fewer === 1 ? '' : 's'}`] : []),
    ];
    yield {
      at: [...(podOf(object)?.path ?? ['spec']), 'containers'],
      message: `a patch replaces the list of containers: ${parts.join(' and ')} of the base ${lost.size + fewer === 1 ? 'is' : 'are'} lost`,
      severity: lost.has('image') ? 'error' : 'warning',
      causedBy: ['patches', 'patchesStrategicMerge'],
    };
  },
};

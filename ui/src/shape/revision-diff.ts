import { asKubeObject, type KubeObject, keyOf } from '#base/model';
import { parseJson, printJson } from '#base/std';
import type { Change } from './changes.ts';

/** What changes between two sets of rendered manifests, each as JSON texts: what comes, what changes, what goes. */
export function revisionChanges(before: readonly string[], after: readonly string[]): Change[] {
  const [old, fresh] = [byKey(before), byKey(after)];
  const changed = [...fresh].flatMap(([key, object]): Change[] => {
    const was = old.get(key);
    if (was && printJson(was) === printJson(object)) return [];
    return [changeOf(object, was ? 'change' : 'create', was)];
  });
  const gone = [...old].filter(([key]) => !fresh.has(key));
  return [...changed, ...gone.map(([, object]) => changeOf(undefined, 'prune', object))];
}

const byKey = (manifests: readonly string[]): Map<string, KubeObject> =>
  new Map(
    manifests.map((text) => {
      const object = asKubeObject(parseJson(text), 'a rendered manifest');
      return [keyOf(object), object];
    }),
  );

function changeOf(
  after: KubeObject | undefined,
  deed: Change['deed'],
  before: KubeObject | undefined,
): Change {
  const object = (after ?? before) as KubeObject;
  const [group = ''] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [''];
  const { name, namespace = '' } = object.metadata;
  return {
    key: keyOf(object),
    group,
    kind: object.kind,
    namespace,
    name,
    deed,
    fields: [],
    isMasked: object.kind === 'Secret' && group === '',
    before: before ? printJson(before) : '',
    after: after ? printJson(after) : '',
  };
}

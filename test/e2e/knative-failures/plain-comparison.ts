import type { KubeObject } from '#base/model';
import { differences } from '../../../src/engine/diff/fields.ts';
import { predictApply } from '../../../src/engine/diff/predict.ts';
import { predictServerSide } from '../../../src/engine/diff/predict-server.ts';

// What a control plane finds that has no knowledge of Knative: the comparisons of the engine before it removes what Knative
// owns, aligns quantities and asks the API server about defaults.
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** The two sides as they stand: every field of one of them counts. */
export const plainDrift = (target: KubeObject, live: KubeObject): string[] =>
  pathsOf(target, withoutRecords(live));

/** The three-way comparison of a kind without a schema: a field counts when Git declares it. */
export function declaredDrift(target: KubeObject, live: KubeObject): string[] {
  const applied = live.metadata.annotations?.[lastApplied];
  const { predicted, live: now } = predictApply({
    target,
    live: withoutRecords(live),
    applied: applied === undefined ? undefined : (JSON.parse(applied) as KubeObject),
  });
  return pathsOf(predicted, now);
}

/** The merge of a server-side apply without a schema: a list belongs whole to the manager that applied it. */
export function mergedDrift(target: KubeObject, live: KubeObject): string[] {
  const { predicted, live: now } = predictServerSide(target, live, undefined);
  return pathsOf(predicted, now);
}

const pathsOf = (predicted: unknown, live: unknown): string[] =>
  differences(predicted, live, live as KubeObject).map(({ path }) => path);

/** Without what every API server writes into every object. */
function withoutRecords(live: KubeObject): KubeObject {
  const { name, namespace, labels, annotations = {} } = live.metadata;
  const { [lastApplied]: _applied, ...rest } = annotations;
  const metadata = {
    ...{ name, annotations: rest },
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
  };
  return { ...live, metadata };
}

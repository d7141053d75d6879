import type { KubeObject } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { setField } from './flatten.ts';
import { goValueText } from './go-value-text.ts';
import type { SetParameters, TemplateMode } from './set-parameters.ts';

export type DecisionFacts = {
  /** The decision resources that the generator selects. */
  readonly objects: readonly KubeObject[];
  readonly clusters: readonly { readonly name: string; readonly server: string }[];
  /** Of the ConfigMap (sources ASD-1). */
  readonly statusListKey?: string;
  readonly matchKey?: string;
};

/**
 * compat sources ASD-2: one set for each entry of the decisions that names a known cluster; `values` are not templated.
 * `skipped` are the entries without a cluster. Throws NotFound without any resource, and InvalidSpec where a status has no
 * list (dev sources DEV-27), so that nothing is deleted.
 */
export function decisionParameters(
  facts: DecisionFacts,
  values: Readonly<Record<string, string>> | undefined,
  mode: TemplateMode,
): { readonly sets: readonly SetParameters[]; readonly skipped: readonly string[] } {
  const { objects, clusters, matchKey } = facts;
  if (objects.length === 0) throw new FairleadError('NotFound', 'no clusterDecisionResources found');
  if (!matchKey) return { sets: [], skipped: [] };
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const skipped: string[] = [];
  const sets = objects
    .flatMap((object) => entriesOf(object, facts.statusListKey || 'clusters'))
    .flatMap((entry) => {
      const named = goValueText(entry[matchKey]);
      const cluster = byName.get(named);
      if (cluster) return [{ ...entryParameters(entry, cluster), ...valuesOf(values, mode) }];
      skipped.push(named);
      return [];
    });
  return { sets, skipped };
}

function entriesOf(object: KubeObject, listKey: string): SetParameters[] {
  const { status } = object;
  if (!isObject(status) || Object.keys(status).length === 0) return [];
  const list = status[listKey];
  if (list === null) return [];
  if (!Array.isArray(list)) {
    throw new FairleadError(
      'InvalidSpec',
      `${object.kind} ${object.metadata.name} has no list status.${listKey}; set statusListKey of the generator's ` +
        'ConfigMap to the list that holds the clusters. No application is deleted',
    );
  }
  return list.filter(isObject);
}

function entryParameters(
  entry: SetParameters,
  { name, server }: { readonly name: string; readonly server: string },
): Record<string, unknown> {
  const set: Record<string, unknown> = { name, server };
  for (const [key, value] of Object.entries(entry)) setField(set, key, goValueText(value));
  return set;
}

function valuesOf(values: Readonly<Record<string, string>> = {}, mode: TemplateMode): SetParameters {
  const entries = Object.entries(values);
  if (entries.length === 0) return {};
  return mode === 'go'
    ? { values }
    : Object.fromEntries(entries.map(([key, text]) => [`values.${key}`, text]));
}

import { Histogram, type Registry } from 'prom-client';
import type { ApplicationSet } from '#base/model';
import { heading, labelName, line } from './exposition.ts';
import { OwnedSeries } from './owned-series.ts';
import type { Section } from './page.ts';

export type SetReadings = {
  sets(): Iterable<ApplicationSet>;
  /** The labels of sets that are reported. */
  setLabels(): readonly string[];
};

export type SetMetrics = {
  reconciled(set: ApplicationSet, ms: number): void;
  /** The set was deleted: removes its series. */
  gone(set: SetName): void;
};

export type SetName = { readonly namespace: string; readonly name: string };

type LabelledMetric = readonly [name: string, help: string, label: (set: ApplicationSet) => string];

const upToDate = ({ status }: ApplicationSet): string =>
  status?.conditions?.find(({ type }) => type === 'ResourcesUpToDate')?.reason ?? 'Unknown';

/** compat server §7.2: the gauges of ApplicationSets, computed at the scrape. */
export function setGauges({ sets, setLabels }: SetReadings): Section {
  return () => {
    const all = [...sets()];
    return familiesWith(setLabels())
      .map(([name, help, reported]) => {
        const lines = all.map(reported).join('');
        return lines && heading(name, help, 'gauge') + lines;
      })
      .join('');
  };
}

function familiesWith(labels: readonly string[]): readonly LabelledMetric[] {
  const [info, owned, labelled] = [
    'argocd_appset_info',
    'argocd_appset_owned_applications',
    'argocd_appset_labels',
  ];
  return [
    [
      info,
      'Information about an ApplicationSet.',
      (set) => line(info, { ...identityOf(set), resource_update_status: upToDate(set) }, 1),
    ],
    [
      owned,
      'Applications that an ApplicationSet owns.',
      (set) => line(owned, identityOf(set), set.status?.resourcesCount ?? set.status?.resources?.length ?? 0),
    ],
    [
      labelled,
      'The configured labels of an ApplicationSet.',
      (set) => (labels.length === 0 ? '' : line(labelled, { ...identityOf(set), ...chosen(set, labels) }, 1)),
    ],
  ];
}

const chosen = ({ metadata }: ApplicationSet, labels: readonly string[]): Record<string, string> =>
  Object.fromEntries(labels.map((key) => [labelName(key), metadata.labels?.[key] ?? '']));

const identityOf = ({ metadata }: ApplicationSet): Record<keyof SetName, string> => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** compat server §7.2: how long passes took, by set, in the buckets that Prometheus has by itself. */
export function setPasses(registry: Registry): SetMetrics {
  const passes = new Histogram({
    name: 'argocd_appset_reconcile',
    help: 'How long a reconciliation of an ApplicationSet took, in seconds.',
    labelNames: ['namespace', 'name'],
    registers: [registry],
  });
  const series = new OwnedSeries(passes, { open: [], most: 1 });
  return {
    reconciled: (set, ms) => passes.observe(series.of(keyOf(identityOf(set)), identityOf(set)), ms / 1000),
    gone: (set) => series.forget(keyOf(set)),
  };
}

const keyOf = ({ namespace, name }: SetName): string => `${namespace}/${name}`;

import { setImmediate as letOthersRun } from 'node:timers/promises';
import {
  type Application,
  isAutomated,
  normalizeRepoUrl,
  projectName,
  type Settings,
  withoutUserInfo,
} from '#base/model';
import { heading, labelName, line } from './exposition.ts';
import type { Section } from './page.ts';

/** The data that a scrape reads. */
export type ApplicationReadings = {
  apps(): Iterable<Application>;
  /** The address of an application's destination cluster; '' when there is none. */
  serverOf(app: Application): string;
  /** Objects in its namespaces that no application declares; 0 where they are not monitored. */
  orphansOf(app: Application): number;
  wishes(): AppWishes;
};

/** The application settings of the metrics; the same object until they change. */
export type AppWishes = Pick<
  Settings['controller'],
  'metricsApplicationLabels' | 'metricsApplicationConditions' | 'legacyMetrics'
>;

const families = {
  argocd_app_info: 'Information about an application.',
  argocd_app_labels: 'The configured labels of an application.',
  argocd_app_condition: 'How many conditions of a type an application has.',
  argocd_app_orphaned_resources_count: 'Orphaned objects in the namespaces of an application.',
  argocd_app_sync_status: 'One for the status of an application, zero for the others.',
  argocd_app_health_status: 'One for the health of an application, zero for the others.',
} as const;
type Family = keyof typeof families;
type Samples = Partial<Record<Family, string>>;

const syncStatuses = ['Synced', 'OutOfSync', 'Unknown'] as const;
const healthStatuses = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown'] as const;

/** Applications written at a time; the first scrape of a large installation must not block the event loop. */
const breath = 200;

/**
 * compat server §7.1: the gauges of applications, computed at the scrape. Objects of the cluster are immutable once
 * they are read, so the text of one is cached until another replaces it.
 */
export function applicationGauges(deps: ApplicationReadings): Section {
  const memory = new Memory(deps);
  return async () => {
    memory.begin();
    const all: Samples[] = [];
    let written = 0;
    for (const app of deps.apps()) {
      const { reported, isNew } = memory.sample(app);
      all.push(reported);
      if (isNew && ++written % breath === 0) await letOthersRun();
    }
    return Object.entries(families)
      .map(([name, help]) => family(name as Family, help, all))
      .join('');
  };
}

class Memory {
  readonly #deps: ApplicationReadings;
  #wishes: AppWishes;
  #known = new WeakMap<
    Application,
    { readonly server: string; readonly orphans: number; readonly reported: Samples }
  >();

  constructor(deps: ApplicationReadings) {
    this.#deps = deps;
    this.#wishes = deps.wishes();
  }

  /** Changed settings invalidate the cached texts. */
  begin(): void {
    const wishes = this.#deps.wishes();
    if (wishes !== this.#wishes) this.#known = new WeakMap();
    this.#wishes = wishes;
  }

  sample(app: Application): { readonly reported: Samples; readonly isNew: boolean } {
    const server = this.#deps.serverOf(app);
    const known = this.#known.get(app);
    const orphans = this.#deps.orphansOf(app);
    if (known?.server === server && known.orphans === orphans)
      return { reported: known.reported, isNew: false };
    const reported = describe(app, { server, orphans }, this.#wishes);
    this.#known.set(app, { server, orphans, reported });
    return { reported, isNew: true };
  }
}

function family(name: Family, help: string, all: readonly Samples[]): string {
  const lines = all.map((reported) => reported[name] ?? '').join('');
  return lines ? heading(name, help, 'gauge') + lines : '';
}

/** `D` in the contract. */
export const identityOf = (app: Application) => ({
  namespace: app.metadata.namespace ?? '',
  name: app.metadata.name,
  project: projectName(app),
});

function describe(
  app: Application,
  { server, orphans }: { readonly server: string; readonly orphans: number },
  wishes: AppWishes,
): Samples {
  const { spec, status } = app;
  const identity = identityOf(app);
  const sync = status?.sync?.status || 'Unknown';
  const health = status?.health?.status || 'Unknown';
  return {
    argocd_app_info: line(
      'argocd_app_info',
      {
        ...identity,
        autosync_enabled: String(isAutomated(spec)),
        repo: repoOf(app),
        dest_server: server,
        dest_namespace: spec.destination?.namespace ?? '',
        sync_status: sync,
        health_status: health,
        operation: operationOf(app),
      },
      1,
    ),
    argocd_app_orphaned_resources_count: line('argocd_app_orphaned_resources_count', identity, orphans),
    ...labelsOf(app, wishes),
    ...conditionsOf(app, wishes),
    ...(wishes.legacyMetrics && {
      // dev server §7.3: removed from Argo CD in 3.0, and still used by alerts
      argocd_app_sync_status: oneOf(app, 'sync_status', syncStatuses, sync),
      argocd_app_health_status: oneOf(app, 'health_status', healthStatuses, health),
    }),
  };
}

function repoOf({ spec }: Application): string {
  const { repoURL = '' } = spec.sources?.[0] ?? spec.source ?? {};
  return normalizeRepoUrl(withoutUserInfo(repoURL));
}

function operationOf({ metadata, operation }: Application): string {
  if (metadata.deletionTimestamp) return 'delete';
  return operation?.sync ? 'sync' : '';
}

function labelsOf(app: Application, { metricsApplicationLabels: wanted }: AppWishes): Samples {
  if (wanted.length === 0) return {};
  const labels = wanted.map((key) => [labelName(key), app.metadata.labels?.[key] ?? ''] as const);
  const all = { ...identityOf(app), ...Object.fromEntries(labels) };
  return { argocd_app_labels: line('argocd_app_labels', all, 1) };
}

function conditionsOf(app: Application, { metricsApplicationConditions: wanted }: AppWishes): Samples {
  const counts = new Map<string, number>();
  for (const { type } of app.status?.conditions ?? [])
    if (wanted.includes(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  if (counts.size === 0) return {};
  const lines = [...counts].map(([condition, count]) =>
    line('argocd_app_condition', { ...identityOf(app), condition }, count),
  );
  return { argocd_app_condition: lines.join('') };
}

function oneOf(
  app: Application,
  label: 'sync_status' | 'health_status',
  all: readonly string[],
  current: string,
): string {
  const identity = identityOf(app);
  return all
    .map((value) => line(`argocd_app_${label}`, { ...identity, [label]: value }, value === current ? 1 : 0))
    .join('');
}

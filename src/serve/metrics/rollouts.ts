import { Counter, Histogram, type Registry } from 'prom-client';
import type { KubeObject } from '#base/model';
import { heading, line } from './exposition.ts';
import { type Labels, OwnedSeries } from './owned-series.ts';
import type { MetricsPage, Section } from './page.ts';

type Providers = { readonly provider?: Readonly<Record<string, unknown>> | undefined; readonly name: string };
type RolloutReading = KubeObject<
  {
    replicas?: number;
    strategy?: { canary?: { trafficRouting?: Readonly<Record<string, unknown>> }; blueGreen?: unknown };
  },
  {
    phase?: string;
    replicas?: number;
    availableReplicas?: number;
    updatedReplicas?: number;
  }
>;
type RunReading = KubeObject<
  { metrics?: readonly Providers[] },
  { phase?: string; metricResults?: readonly { name: string; phase: string; dryRun?: boolean }[] }
>;
type ExperimentReading = KubeObject<unknown, { phase?: string }>;
type TemplateReading = KubeObject<{ metrics?: readonly Providers[] }>;

/** What a scrape reads of progressive delivery: nothing while this process does not act. */
export type RolloutReadings = {
  rollouts(): readonly RolloutReading[];
  runs(): readonly RunReading[];
  experiments(): readonly ExperimentReading[];
  templates(): readonly TemplateReading[];
  /** Whether it leaves Rollouts to another controller. */
  isStandby(): boolean;
  now(): number;
};

/** The event of a message, and the object that it is about. */
type NotifiedEvent = ObjectName & { readonly kind: string; readonly type: string; readonly reason: string };

type ObjectName = { readonly namespace: string; readonly name: string };

/** The metrics of progressive delivery. */
export type RolloutMetrics = {
  reconciled(rollout: KubeObject, ms: number, error: Error | undefined): void;
  recorded(rollout: KubeObject, event: { readonly type: string; readonly reason: string }): void;
  measured(run: KubeObject, ms: number, error: Error | undefined): void;
  experimented(experiment: KubeObject, ms: number, error: Error | undefined): void;
  /** A message about an event of an object was sent, or could not be. */
  notified(message: NotifiedEvent, ms: number, error: Error | undefined): void;
  /** The Rollout was deleted: its series are removed after a while. */
  gone(rollout: ObjectName): void;
};

/** compat rollouts RE-3: the buckets of a pass, in seconds. */
const buckets = [0.01, 0.15, 0.25, 0.5, 1];
/** The last values of a deleted Rollout can be scraped for this long. */
const keptMs = 65_000;
/** The reasons of events come from the controller alone; one Rollout has at most this many series of them. */
const mostReasons = 60;

const identityOf = ({ metadata }: KubeObject): ObjectName => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});
const keyOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`;

/** compat rollouts RE-3: under the names that dashboards for Argo Rollouts use. */
export function createRolloutMetrics(page: MetricsPage, readings: RolloutReadings): RolloutMetrics {
  const { registry, sections } = page;
  const registers = [registry];
  const labelNames = ['namespace', 'name'];
  const passes = new Histogram({
    ...{ name: 'rollout_reconcile', help: 'How long a pass over a Rollout took, in seconds.' },
    ...{ labelNames, buckets, registers },
  });
  const errors = new Counter({
    ...{ name: 'rollout_reconcile_error', help: 'Passes over a Rollout that failed.' },
    ...{ labelNames, registers },
  });
  const events = new Counter({
    ...{ name: 'rollout_events_total', help: 'Events about a Rollout.' },
    ...{ labelNames: [...labelNames, 'type', 'reason'], registers },
  });
  const messages = messageFamilies(registers);
  const measured = passesBy(registers, 'analysis_run_reconcile', 'an AnalysisRun');
  const experimented = passesBy(registers, 'experiment_reconcile', 'an Experiment');
  const owned = {
    passes: new OwnedSeries(passes, { open: [], most: 1 }),
    errors: new OwnedSeries(errors, { open: [], most: 1 }),
    events: new OwnedSeries(events, { open: ['reason'], most: mostReasons }),
    sends: new OwnedSeries(messages.sends, { open: [], most: 1 }),
    sent: new OwnedSeries(messages.sent, { open: ['reason'], most: mostReasons }),
    unsent: new OwnedSeries(messages.unsent, { open: ['reason'], most: mostReasons }),
  };
  const left = new Map<string, number>();
  sections.push(() => {
    for (const [key, since] of left) {
      if (readings.now() - since < keptMs) continue;
      for (const series of Object.values(owned)) series.forget(key);
      left.delete(key);
    }
    return '';
  }, gauges(readings));
  const of = (series: OwnedSeries, object: KubeObject, more: Labels = {}): Labels => {
    const identity = identityOf(object);
    left.delete(keyOf(identity));
    return series.of(keyOf(identity), { ...identity, ...more });
  };
  /** compat rollouts RQ-16: a message may come after its Rollout was deleted, and only Rollouts are named. */
  const notified: RolloutMetrics['notified'] = ({ kind, namespace, name, type, reason }, ms, error) => {
    const identity = { namespace, name: kind === 'Rollout' ? name : '' };
    const key = keyOf(identity);
    const isKnown = readings.rollouts().some((one) => keyOf(identityOf(one)) === key);
    if (kind === 'Rollout' && !isKnown && !left.has(key)) left.set(key, readings.now());
    messages.sends.observe(owned.sends.of(key, identity), ms / 1000);
    const [family, series] = error ? [messages.unsent, owned.unsent] : [messages.sent, owned.sent];
    family.inc(series.of(key, { ...identity, type, reason }));
  };
  return {
    notified,
    reconciled: (rollout, ms, error) => {
      passes.observe(of(owned.passes, rollout), ms / 1000);
      if (error) errors.inc(of(owned.errors, rollout));
    },
    recorded: (rollout, { type, reason }) => events.inc(of(owned.events, rollout, { type, reason })),
    measured,
    experimented,
    gone: (rollout) => {
      if (!left.has(keyOf(rollout))) left.set(keyOf(rollout), readings.now());
    },
  };
}

/** compat rollouts RE-3: the messages of subscribers, by the event that they are about. */
function messageFamilies(registers: Registry[]) {
  const identity = ['namespace', 'name'];
  const labelNames = [...identity, 'type', 'reason'];
  return {
    sends: new Histogram({
      ...{ name: 'notification_send', help: 'How long an attempt to send a message took, in seconds.' },
      ...{ labelNames: identity, buckets, registers },
    }),
    sent: new Counter({
      ...{ name: 'notification_send_success', help: 'Messages that a service took.' },
      ...{ labelNames, registers },
    }),
    unsent: new Counter({
      ...{ name: 'notification_send_error', help: 'Attempts to send a message that failed.' },
      ...{ labelNames, registers },
    }),
  };
}

/** The passes over objects that come and go, by namespace: their time, and those that failed. */
function passesBy(registers: Registry[], name: string, what: string): RolloutMetrics['measured'] {
  const labelNames = ['namespace'];
  const help = `How long a pass over ${what} took, in seconds.`;
  const passes = new Histogram({ name, help, labelNames, buckets, registers });
  const failed = `Passes over ${what} that failed.`;
  const errors = new Counter({ name: `${name}_error`, help: failed, labelNames, registers });
  return ({ metadata }, ms, error) => {
    const labels = { namespace: metadata.namespace ?? '' };
    passes.observe(labels, ms / 1000);
    if (error) errors.inc(labels);
  };
}

type Family = readonly [name: string, help: string, lines: (name: string) => string];

/** The gauges, computed at the scrape. */
function gauges(readings: RolloutReadings): Section {
  return () =>
    [...rolloutFamilies(readings), ...analysisFamilies(readings), ...experimentFamilies(readings)]
      .map(([name, help, lines]) => {
        const text = lines(name);
        return text && heading(name, help, 'gauge') + text;
      })
      .join('');
}

const strategyOf = ({ spec }: RolloutReading): string =>
  spec?.strategy?.blueGreen ? 'blueGreen' : spec?.strategy?.canary ? 'canary' : '';

function routerOf({ spec }: RolloutReading): string {
  const { plugins, ...routers } = spec?.strategy?.canary?.trafficRouting ?? {};
  const own = Object.keys(routers).filter((name) => name !== 'managedRoutes' && name !== 'maxTrafficWeight');
  const [first = ''] = [...own, ...Object.keys(plugins ?? {})];
  return first;
}

function rolloutFamilies({ rollouts, isStandby }: RolloutReadings): readonly Family[] {
  const each = (labels: (rollout: RolloutReading) => Labels, value: (rollout: RolloutReading) => number) => {
    return (name: string): string =>
      rollouts()
        .map((rollout) => line(name, { ...identityOf(rollout), ...labels(rollout) }, value(rollout)))
        .join('');
  };
  const none = (): Labels => ({});
  const replicas = ({ status }: RolloutReading): number => status?.replicas ?? 0;
  const available = ({ status }: RolloutReading): number => status?.availableReplicas ?? 0;
  const phase = ({ status }: RolloutReading): string => status?.phase ?? 'Progressing';
  const info = (rollout: RolloutReading): Labels => ({
    strategy: strategyOf(rollout),
    traffic_router: routerOf(rollout),
    phase: phase(rollout),
  });
  const state = (rollout: RolloutReading): Labels => ({
    strategy: strategyOf(rollout),
    phase: phase(rollout),
  });
  return [
    ['rollout_info', 'Information about a Rollout.', each(info, () => 1)],
    ['rollout_phase', 'The phase of a Rollout; rollout_info has it too.', each(state, () => 1)],
    ['rollout_info_replicas_available', 'Available pods of a Rollout.', each(none, available)],
    [
      'rollout_info_replicas_unavailable',
      'Pods of a Rollout that are not available.',
      each(none, (rollout) => Math.max(0, replicas(rollout) - available(rollout))),
    ],
    [
      'rollout_info_replicas_desired',
      'The size of a Rollout.',
      each(none, ({ spec }) => spec?.replicas ?? 1),
    ],
    [
      'rollout_info_replicas_updated',
      'Pods of the current template of a Rollout.',
      each(none, ({ status }) => status?.updatedReplicas ?? 0),
    ],
    [
      'fairlead_rollouts_standby',
      'One while Rollouts are left to another controller.',
      (name) => line(name, {}, isStandby() ? 1 : 0),
    ],
  ];
}

const typeOf = ({ provider = {} }: Providers): string =>
  Object.keys(provider).find((name) => provider[name]) ?? '';

const home = ({ metadata }: KubeObject): { namespace: string } => ({ namespace: metadata.namespace ?? '' });

/** One line for each set of labels, with how often it occurs. */
function countedLines(name: string, all: readonly Labels[]): string {
  const counts = new Map<string, number>();
  for (const labels of all) {
    const id = JSON.stringify(labels);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].map(([id, count]) => line(name, JSON.parse(id) as Labels, count)).join('');
}

function experimentFamilies({ experiments }: RolloutReadings): readonly Family[] {
  const help = 'Experiments by namespace and phase.';
  const lines = (name: string): string =>
    countedLines(
      name,
      experiments().map((one) => ({ ...home(one), phase: one.status?.phase ?? 'Pending' })),
    );
  return [
    ['experiment_info', help, lines],
    ['experiment_phase', help, lines],
  ];
}

/** dev compat rollouts RE-3: runs come and go, so that they are counted and not named. */
function analysisFamilies({ runs, templates }: RolloutReadings): readonly Family[] {
  const counted = (labelsOf: (run: RunReading) => readonly Labels[]) => (name: string) =>
    countedLines(name, runs().flatMap(labelsOf));
  const phase = (run: RunReading) => [{ ...home(run), phase: run.status?.phase ?? 'Pending' }];
  const types = (run: RunReading) =>
    (run.spec?.metrics ?? []).map((metric) => ({ ...home(run), metric: metric.name, type: typeOf(metric) }));
  const phases = (run: RunReading) =>
    (run.status?.metricResults ?? []).map(({ name, phase: of, dryRun = false }) => {
      const metric = run.spec?.metrics?.find((one) => one.name === name);
      const about = { metric: name, type: metric ? typeOf(metric) : '', phase: of, dry_run: String(dryRun) };
      return { ...home(run), ...about };
    });
  const eachTemplate = (linesOf: (template: TemplateReading, name: string) => string) => (name: string) =>
    templates()
      .map((template) => linesOf(template, name))
      .join('');
  return [
    ['analysis_run_info', 'AnalysisRuns by namespace and phase.', counted(phase)],
    ['analysis_run_phase', 'AnalysisRuns by namespace and phase.', counted(phase)],
    ['analysis_run_metric_type', 'Metrics of AnalysisRuns by their provider.', counted(types)],
    ['analysis_run_metric_phase', 'Metrics of AnalysisRuns by their verdict.', counted(phases)],
    [
      'analysis_template_info',
      'Information about an AnalysisTemplate.',
      eachTemplate((template, name) => line(name, { ...identityOf(template) }, 1)),
    ],
    [
      'analysis_template_metric_info',
      'The metrics of an AnalysisTemplate.',
      eachTemplate((template, name) =>
        (template.spec?.metrics ?? [])
          .map((metric) =>
            line(name, { ...identityOf(template), type: typeOf(metric), metric: metric.name }, 1),
          )
          .join(''),
      ),
    ],
  ];
}

import { expect, test } from 'vitest';
import {
  type Application,
  type ApplicationCondition,
  defaultSettings,
  type KubeObject,
  type Operation,
  type ResourceKey,
  type ResourceResult,
} from '#base/model';
import { cases } from '../../../test/cases.ts';
import { compare } from '../compare.ts';
import { ignoreRules } from '../diff/ignore.ts';
import { respectIgnored } from '../diff/respect.ts';
import type { Assessment } from '../health/health.ts';
import { prepareTarget } from '../target.ts';
import { defaultTracking, ownerOf } from '../tracking.ts';
import { nextStep, unseen } from './step.ts';
import { tallyOf } from './tally.ts';
import { nameOf, type SyncPlan, type SyncStep, type SyncTask } from './task.ts';
import { type KindDiscovery, planTasks } from './tasks.ts';

type Given = {
  targets: KubeObject[];
  live: KubeObject[];
  recorded: ResourceResult[];
  operation?: Operation;
  revision?: string;
  retryCount?: number;
  fresh?: boolean;
  dryRun?: { task: string; ok: boolean; message: string }[];
  conditions?: ApplicationCondition[];
  missing?: string[];
  broken?: string[];
  denied?: string[];
  absent?: ResourceKey[];
  namespace?: KubeObject;
  approved?: string;
  managedNamespaceMetadata?: { labels?: Record<string, string> };
  ignoreDifferences?: NonNullable<Application['spec']['ignoreDifferences']>;
  terminating?: boolean;
  now?: string;
  waveDelayMs?: number;
  deadline?: string;
  /** What a script would say of every object of a kind. */
  scripted?: Record<string, Assessment>;
  annotations?: Record<string, string>;
  syncOptions?: string[];
};

const { resources } = defaultSettings;
const clusterWide = new Set(['Namespace', 'CustomResourceDefinition']);
const isNamespaced = ({ kind }: { kind: string }): boolean => !clusterWide.has(kind);

function appOf(given: Given): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'app',
      namespace: 'argocd',
      annotations: {
        ...given.annotations,
        ...(given.approved && { 'argocd.argoproj.io/deletion-approved': given.approved }),
      },
    },
    spec: {
      destination: { server: 'https://cluster.example', namespace: 'd' },
      ...(given.ignoreDifferences && { ignoreDifferences: given.ignoreDifferences }),
      syncPolicy: {
        ...(given.syncOptions && { syncOptions: given.syncOptions }),
        ...(given.managedNamespaceMetadata && { managedNamespaceMetadata: given.managedNamespaceMetadata }),
      },
    },
  };
}

function planOf(given: Given): SyncPlan {
  const app = appOf(given);
  const target = prepareTarget(given.targets, {
    owner: ownerOf(app, 'argocd'),
    tracking: defaultTracking,
    isNamespaced,
  });
  const comparison = compare(
    app,
    { target, live: given.live },
    { controlPlaneNamespace: 'argocd', tracking: defaultTracking, resources, isNamespaced },
  );
  const operation = given.operation ?? { sync: {} };
  const rules = ignoreRules(app, resources);
  return planTasks({
    app,
    state: {
      operation,
      phase: 'Running',
      startedAt: '2023-11-14T22:13:20Z',
      retryCount: given.retryCount ?? 0,
      syncResult: { resources: given.recorded },
    },
    comparison,
    revision: given.revision ?? 'main',
    discover: ({ group, kind }): KindDiscovery => {
      if (given.broken?.includes(`${group}/${kind}`)) return { found: false, problem: 'discovery is down' };
      if (given.missing?.includes(`${group}/${kind}`)) return { found: false };
      return { found: true, namespaced: isNamespaced({ kind }) };
    },
    denies: ({ kind }) => (given.denied?.includes(kind) ? `the project does not permit ${kind}` : undefined),
    ...(given.namespace && { namespace: given.namespace }),
    absent: new Set(given.absent),
    ...(given.scripted && { health: { scripted: ({ kind }: KubeObject) => given.scripted?.[kind] } }),
    ...(operation.sync?.syncOptions?.includes('RespectIgnoreDifferences=true') && {
      respect: (wanted: KubeObject, live: KubeObject) => respectIgnored(wanted, live, rules),
    }),
  });
}

function stepOf(given: Given, plan: SyncPlan): SyncStep {
  const dryRun = given.dryRun?.map(({ task, ...rest }) => ({ ...rest, task: find(plan, task) }));
  return nextStep(plan, {
    ...(!given.fresh && { dryRun: dryRun ?? [] }),
    ...(given.terminating && { terminating: true }),
    ...(given.now && { now: new Date(given.now) }),
    ...(given.conditions && { conditions: given.conditions }),
    waveDelayMs: given.waveDelayMs ?? 0,
    ...(given.deadline && { deadline: given.deadline }),
  });
}

function find(plan: SyncPlan, name: string): SyncTask {
  const task = plan.tasks.find((one) => nameOf(one) === name);
  if (!task) throw new Error(`no task ${name}`);
  return task;
}

/** A step as a case file spells it. */
function spelled(step: SyncStep, plan: SyncPlan): Record<string, unknown> {
  const results = step.results.map(
    (result) =>
      `${result.kind} ${result.name} ${result.syncPhase} ${result.status} ${result.hookPhase ?? ''}`,
  );
  const { done, total } = tallyOf(plan);
  const common = { do: step.do, results, unseen: unseen(plan).map(nameOf), tally: `${done} of ${total}` };
  switch (step.do) {
    case 'dry-run':
      return { ...common, tasks: step.tasks.map(nameOf) };
    case 'apply': {
      const tasks = step.groups.flat();
      return {
        ...common,
        phase: step.phase,
        wave: step.wave,
        prune: step.prune.map(nameOf),
        groups: step.groups.map((group) => group.map(nameOf)),
        pauseMs: step.pauseMs,
        modes: tasks.map(({ mode }) =>
          [mode.verb, mode.force && 'force', !mode.validate && 'unvalidated'].filter(Boolean).join(' '),
        ),
        migrations: tasks.map(({ migrateFrom = [] }) => migrateFrom.join()),
        data: (tasks[0]?.target as { data?: unknown } | undefined)?.data,
      };
    }
    case 'delete-hooks':
      return {
        ...common,
        hooks: step.hooks.map(({ task, release, remove }) =>
          [nameOf(task), release && 'release', remove && 'remove'].filter(Boolean).join(' '),
        ),
      };
    case 'wait':
      return {
        ...common,
        for: step.for.map(nameOf),
        why: step.why,
        next: step.next,
        blockers: step.blockers.map(({ name, state, since = '', message = '' }) =>
          `${name} ${state} ${since} ${message}`.trim(),
        ),
      };
    case 'finish':
      return {
        ...common,
        phase: step.phase,
        message: step.message,
        namespaces: step.results.map(({ namespace }) => namespace),
        messages: step.results.map(({ message = '' }) => message),
      };
  }
}

const all = cases<Record<string, unknown>>(new URL('./testdata/', import.meta.url));

test.each(all)('$name', ({ input, expect: wanted }) => {
  const plan = planOf(input[0]);
  const step = spelled(stepOf(input[0], plan), plan);
  const defaults = step.do === 'apply' ? { prune: [], pauseMs: 0, unseen: [] } : { unseen: [] };
  expect(step).toMatchObject({ ...defaults, ...wanted });
});

test.each(all)('$name: asked twice, the answer is the same', ({ input }) => {
  const [first, second] = [planOf(input[0]), planOf(structuredClone(input[0]))];
  expect(spelled(stepOf(input[0], first), first)).toEqual(spelled(stepOf(input[0], second), second));
});

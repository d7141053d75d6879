import {
  type Application,
  type ApplicationRollout,
  type ApplicationSet,
  type Condition,
  compareBytes,
  type Operation,
  printTime,
  type RolloutStep,
} from '#base/model';
import { isInStep, rolloutProblem, stepOf, updateBudget } from './steps.ts';
import { transition } from './transition.ts';

export type RolloutInput = {
  readonly set: ApplicationSet;
  /** As the set generates them, before `withoutAutomation`. */
  readonly generated: readonly Application[];
  /** The live applications that the set owns. */
  readonly owned: readonly Application[];
  /** Whether the target differs from the live spec; undefined: the comparison failed (sources ASY-5). */
  readonly isChanged: (live: Application) => boolean | undefined;
  readonly now: Date;
};

/** One step as an operator sees it. */
type StepProgress = {
  readonly step: number;
  readonly isOpen: boolean;
  readonly isComplete: boolean;
  readonly maxUpdate: number;
  readonly applications: readonly string[];
  /** Why the step does not advance: the applications that it waits for, with their state. */
  readonly waitsFor: readonly string[];
};

export type RolloutPass = {
  readonly applicationStatus: ApplicationRollout[];
  /** The syncs to start in this pass, by the name of the application. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly conditions: readonly Condition[];
  readonly steps: readonly StepProgress[];
  readonly warnings: readonly string[];
};

/**
 * compat sources 5.6: one pass of a RollingSync, from the set's status and its applications to the next status and the syncs
 * to start. It keeps nothing: the same facts give the same pass on any machine, after any crash.
 */
export function rolloutPass(input: RolloutInput): RolloutPass {
  const { set, generated, owned, isChanged } = input;
  const steps = set.spec.strategy?.rollingSync?.steps ?? [];
  const now = printTime(input.now);
  const targets = new Map(generated.map((app) => [app.metadata.name, app]));
  const before = new Map((set.status?.applicationStatus ?? []).map((entry) => [entry.application, entry]));
  const numberOf = (name: string): number => {
    const target = targets.get(name);
    return target ? stepOf(target, steps) : -1;
  };
  const entries = new Map<string, ApplicationRollout>();
  for (const app of owned.toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name))) {
    const { name } = app.metadata;
    const entry = before.get(name);
    entries.set(name, transition({ app, entry, isChanged: isChanged(app), step: numberOf(name), now }));
  }
  const progress = progressOf(steps, { generated, entries, numberOf });
  for (const step of progress) if (step.isOpen) fillStep(step, entries, { numberOf, now });
  const operations = operationsFor(progress, { owned, targets, entries, numberOf });
  return {
    applicationStatus: [...entries.values()],
    operations,
    conditions: conditionsOf(progress, rolloutProblem(steps, generated)),
    steps: progress,
    warnings: outsiders(generated, steps),
  };
}

type Membership = {
  readonly entries: Map<string, ApplicationRollout>;
  readonly numberOf: (name: string) => number;
};

/** compat sources ASY-6: a step opens when every application of the step before exists and is Healthy. */
function progressOf(
  steps: readonly RolloutStep[],
  { generated, entries, numberOf }: Membership & { readonly generated: readonly Application[] },
): StepProgress[] {
  let isOpen = true;
  return steps.map((step, at) => {
    const applications = generated
      .filter((app) => isInStep(app, step))
      .map(({ metadata }) => metadata.name)
      .sort(compareBytes);
    const waitsFor = applications.flatMap((name) => {
      const status = entries.get(name)?.status;
      return status === 'Healthy' ? [] : [status ? `${name} is ${status}` : `${name} does not exist yet`];
    });
    // dev sources DEV-25: an application in no step neither counts nor takes a slot
    const counted = applications.filter((name) => numberOf(name) === at + 1).length;
    const progress = {
      step: at + 1,
      isOpen,
      isComplete: waitsFor.length === 0,
      maxUpdate: updateBudget(step, counted),
      applications,
      waitsFor,
    };
    isOpen &&= progress.isComplete;
    return progress;
  });
}

/** compat sources ASY-7: waiting applications of an open step become pending while there are slots. */
function fillStep(
  { step, maxUpdate, applications }: StepProgress,
  entries: Map<string, ApplicationRollout>,
  { numberOf, now }: { readonly numberOf: (name: string) => number; readonly now: string },
): void {
  const own = applications.filter((name) => numberOf(name) === step);
  const busy = own.filter((name) => ['Pending', 'Progressing'].includes(entries.get(name)?.status ?? ''));
  const waiting = own.flatMap((name) => {
    const entry = entries.get(name);
    return entry?.status === 'Waiting' ? [entry] : [];
  });
  for (const entry of waiting.slice(0, Math.max(0, maxUpdate - busy.length))) {
    entries.set(entry.application, {
      ...entry,
      status: 'Pending',
      message:
        'Application moved to Pending status, watching for the Application resource to start Progressing',
      lastTransitionTime: now,
    });
  }
}

/** compat sources ASY-9: every pending application of an open step is synced, unless a sync is under way. */
function operationsFor(
  progress: readonly StepProgress[],
  {
    owned,
    targets,
    entries,
    numberOf,
  }: Membership & {
    readonly owned: readonly Application[];
    readonly targets: ReadonlyMap<string, Application>;
  },
): Map<string, Operation> {
  const open = new Set(progress.filter(({ isOpen }) => isOpen).map(({ step }) => step));
  const operations = new Map<string, Operation>();
  for (const { metadata, operation } of owned) {
    const { name } = metadata;
    const target = targets.get(name);
    const isDue = entries.get(name)?.status === 'Pending' && open.has(numberOf(name));
    if (target && isDue && operation === undefined && metadata.deletionTimestamp === undefined) {
      operations.set(name, syncOf(target));
    }
  }
  return operations;
}

function syncOf({ spec }: Application): Operation {
  const { automated, syncOptions, retry } = spec.syncPolicy ?? {};
  // compat sources ASY-2: what the template's automation would prune
  const prune = automated !== undefined && automated.enabled !== false && automated.prune === true;
  return {
    sync: { ...(prune ? { prune } : {}), ...(syncOptions?.length ? { syncOptions } : {}) },
    initiatedBy: { username: 'applicationset-controller', automated: true },
    info: [
      { name: 'Reason', value: 'ApplicationSet RollingSync triggered a sync of this Application resource' },
    ],
    retry: retry ?? { limit: 5 },
  };
}

/** compat sources ASY-10. */
function conditionsOf(progress: readonly StepProgress[], problem: string | undefined): Condition[] {
  const current = progress.find(({ isComplete }) => !isComplete);
  return [
    current
      ? {
          type: 'RolloutProgressing',
          status: 'True',
          reason: 'ApplicationSetModified',
          message: `ApplicationSet is performing rollout of step ${current.step}`,
        }
      : {
          type: 'RolloutProgressing',
          status: 'False',
          reason: 'ApplicationSetRolloutComplete',
          message: 'ApplicationSet Rollout has completed',
        },
    problem
      ? {
          type: 'InvalidRolloutConfig',
          status: 'True',
          reason: 'ApplicationSetInvalidRolloutConfig',
          message: problem,
        }
      : {
          type: 'InvalidRolloutConfig',
          status: 'False',
          reason: 'ApplicationSetValidRolloutConfig',
          message: 'Rolling Sync Configured correctly',
        },
  ];
}

/** dev sources DEV-25: applications that no step selects are created and updated, and never synced. */
function outsiders(generated: readonly Application[], steps: readonly RolloutStep[]): string[] {
  const names = generated.filter((app) => stepOf(app, steps) < 0).map(({ metadata }) => metadata.name);
  if (names.length === 0 || steps.length === 0) return [];
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ` (and ${names.length - 5} more)` : '');
  return [
    `no step of the rollout selects ${shown}: they are never synced by it; add the labels that a step selects, or a step for them`,
  ];
}

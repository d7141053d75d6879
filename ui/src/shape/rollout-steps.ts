import type { Rollout } from '#engine/rollouts';

/** One step of an update, in words. */
export type StepLine = {
  readonly title: string;
  readonly state: 'done' | 'current' | 'waiting';
  /** The share of the new revision from this step on, in percent; absent where it has none. */
  readonly weight?: number;
};

type Steps = NonNullable<
  NonNullable<NonNullable<NonNullable<Rollout['spec']>['strategy']>['canary']>['steps']
>;
type Step = Steps[number];
type BlueGreen = NonNullable<NonNullable<NonNullable<Rollout['spec']>['strategy']>['blueGreen']>;
type Revision = { readonly isCurrent: boolean; readonly pods: number; readonly available: number };

/** The steps of a canary, or the way of a blue-green update. */
export function stepLines(rollout: Rollout, revisions: readonly Revision[]): StepLine[] {
  const { canary, blueGreen } = rollout.spec?.strategy ?? {};
  if (blueGreen) return blueGreenLines(rollout, blueGreen, revisions);
  return canaryLines(rollout, canary?.steps ?? []);
}

function canaryLines({ spec, status }: Rollout, steps: Steps): StepLine[] {
  const most = spec?.strategy?.canary?.trafficRouting?.maxTrafficWeight ?? 100;
  const isPromoted = status?.stableRS !== undefined && status.stableRS === status.currentPodHash;
  const at = isPromoted ? steps.length : (status?.currentStepIndex ?? 0);
  let weight = 0;
  return steps.map((step, index) => {
    weight = step.setWeight ?? weight;
    const state = index < at ? 'done' : index === at ? 'current' : 'waiting';
    return {
      title: stepTitle(step),
      state: status?.abort ? 'waiting' : state, // an abort goes back to before the first step
      weight: Math.round((weight * 100) / most),
    };
  });
}

const titles: { readonly [Field in keyof Required<Step>]: (value: NonNullable<Step[Field]>) => string } = {
  setWeight: (weight) => `Weight ${weight}`,
  pause: ({ duration }) => (duration === undefined ? 'Pause until promoted' : `Pause ${pauseText(duration)}`),
  analysis: ({ templates = [] }) =>
    `Analysis ${templates.map(({ templateName = '' }) => templateName).join(', ')}`.trim(),
  setCanaryScale: ({ weight, replicas }) =>
    replicas !== undefined
      ? `Canary of ${replicas} pods`
      : weight !== undefined
        ? `Canary pods for weight ${weight}`
        : 'Canary pods follow the weight',
  experiment: () => 'Experiment',
  setHeaderRoute: ({ name = '', match }) => `${match ? 'Header route' : 'Remove header route'} ${name}`,
  setMirrorRoute: ({ name = '', match }) => `${match ? 'Mirror route' : 'Remove mirror route'} ${name}`,
  plugin: ({ name = '' }) => `Plugin ${name}`,
};

const pauseText = (duration: number | string): string =>
  /^\d+$/.test(String(duration)) ? `${duration} s` : String(duration);

/** `Weight 20`, `Pause 5m`, `Analysis success-rate`. */
export function stepTitle(step: Step): string {
  for (const [field, write] of Object.entries(titles)) {
    const value = step[field as keyof Step];
    if (value !== undefined) return (write as (value: unknown) => string)(value);
  }
  return 'A step of an unknown kind';
}

/** Blue-green has no steps of its own: its way, with what of it is behind. */
function blueGreenLines(
  { status }: Rollout,
  { prePromotionAnalysis, postPromotionAnalysis, ...strategy }: BlueGreen,
  revisions: readonly Revision[],
): StepLine[] {
  const current = revisions.find(({ isCurrent }) => isCurrent);
  const isUp = current !== undefined && current.pods > 0 && current.available >= current.pods;
  const isActive = status?.blueGreen?.activeSelector === status?.currentPodHash;
  const isPromoted = status?.stableRS === status?.currentPodHash;
  const { prePromotionAnalysisRunStatus: pre, postPromotionAnalysisRunStatus: post } =
    status?.blueGreen ?? {};
  const ended = (run: typeof pre): boolean => run?.status === 'Successful';
  const way = [
    { title: 'Pods of the preview are ready', isDone: isActive || isUp },
    ...(prePromotionAnalysis
      ? [{ title: 'Analysis before the promotion', isDone: isActive || ended(pre) }]
      : []),
    { title: promotionText(strategy), isDone: isActive },
    ...(postPromotionAnalysis
      ? [{ title: 'Analysis after the promotion', isDone: isPromoted || ended(post) }]
      : []),
    { title: 'The new revision is the stable one', isDone: isPromoted },
  ];
  const first = way.findIndex(({ isDone }) => !isDone);
  return way.map(({ title, isDone }, index) => ({
    title,
    state:
      isDone && (first < 0 || index < first)
        ? 'done'
        : index === first && !status?.abort
          ? 'current'
          : 'waiting',
  }));
}

function promotionText({
  autoPromotionEnabled = true,
  autoPromotionSeconds = 0,
}: Pick<BlueGreen, 'autoPromotionEnabled' | 'autoPromotionSeconds'>): string {
  if (!autoPromotionEnabled) return 'Traffic moves when a person promotes';
  return autoPromotionSeconds > 0 ? `Traffic moves after ${autoPromotionSeconds} s` : 'Traffic moves';
}

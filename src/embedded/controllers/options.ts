/**
 * The behaviour of the simulated cluster where an object does not override it. Times are milliseconds of
 * `ctx.clock`.
 */
export type SimulationOptions = {
  /** The same seed gives the same delays, names and addresses. */
  readonly seed?: number;
  /** `instant`: no delays. `fast`: short ones. `real`: about as long as in a real cluster, probes included. */
  readonly pace?: 'instant' | 'fast' | 'real';
  /** From the scheduling of a pod to its containers running; each pod gets its own delay within the range. */
  readonly podStartMs?: DelayRange;
  /** From a pod's deletion request to its end, never more than its grace period. */
  readonly podStopMs?: DelayRange;
  /** `instant`: ready as soon as running. `timed`: after the probe's initial delay and one period. */
  readonly probes?: 'instant' | 'timed';
  /** How long a container that is meant to finish runs. */
  readonly runForMs?: number;
  /** Until a load balancer or an ingress has an address. */
  readonly addressMs?: number;
  /** The domain of Knative routes when the ConfigMap knative-serving/config-domain names none. */
  readonly knativeDomain?: string;
  /** How long a Knative revision that need not stay keeps its pods without requests; Infinity: for ever. */
  readonly knativeIdleMs?: number;
  /** How many objects are reconciled concurrently. */
  readonly workers?: number;
};

export type DelayRange = { readonly min: number; readonly max: number };

export type SimulationSettings = Required<SimulationOptions>;

export const settingsFrom = (options: SimulationOptions): SimulationSettings => ({
  ...defaults,
  ...paces[options.pace ?? 'fast'],
  ...options,
});

const paces: Readonly<Record<NonNullable<SimulationOptions['pace']>, SimulationOptions>> = {
  instant: { podStartMs: { min: 0, max: 0 }, podStopMs: { min: 0, max: 0 }, addressMs: 0 },
  fast: {},
  real: {
    podStartMs: { min: 1500, max: 4000 },
    podStopMs: { min: 500, max: 2000 },
    addressMs: 5000,
    probes: 'timed',
  },
};

const defaults: SimulationSettings = {
  seed: 1,
  pace: 'fast',
  podStartMs: { min: 20, max: 60 },
  podStopMs: { min: 5, max: 20 },
  probes: 'instant',
  runForMs: 1000,
  addressMs: 50,
  knativeDomain: 'svc.cluster.local',
  knativeIdleMs: 60_000,
  workers: 32,
};

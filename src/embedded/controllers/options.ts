/** How the simulated cluster behaves where an object does not say otherwise. Times are milliseconds of `ctx.clock`. */
export type SimulationOptions = {
  /** The same seed gives the same delays, names and addresses. */
  readonly seed?: number;
  /** `instant`: nothing takes time. `fast`: moments. `real`: about as long as in a real cluster, probes included. */
  readonly pace?: 'instant' | 'fast' | 'real';
  /** From a pod's arrival on its node to its containers running; each pod takes its own share of the range. */
  readonly podStartMs?: DelayRange;
  /** From the wish to delete a pod to its end, never more than its grace period. */
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
  /** How many objects are looked at side by side. */
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

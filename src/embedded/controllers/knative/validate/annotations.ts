import { parseDuration, parseQuantity } from '#base/model';
import { isTrue, type KnativeConfig, wholeNumber } from '../config.ts';
import { maxInt32 } from './probe.ts';
import { explained, invalid, type KnativeProblem, outOfBounds, said } from './problem.ts';

export type AnnotationMap = Readonly<Record<string, string>>;

const scaling = 'autoscaling.knative.dev/';
const settings = 'config-autoscaler';

type Found = { readonly key: string; readonly value: string };

/** compat cluster 5.6: many annotations have an older spelling, which counts when the newer one is missing. */
function find(notes: AnnotationMap, prefix: string, ...names: string[]): Found | undefined {
  const key = names.map((name) => prefix + name).find((name) => notes[name] !== undefined);
  return key === undefined ? undefined : { key, value: notes[key] ?? '' };
}

const scale = (notes: AnnotationMap, ...names: string[]): Found | undefined => find(notes, scaling, ...names);

export const minScaleNote = (notes: AnnotationMap = {}) => scale(notes, 'min-scale', 'minScale');
export const maxScaleNote = (notes: AnnotationMap = {}) => scale(notes, 'max-scale', 'maxScale');
export const initialScaleNote = (notes: AnnotationMap = {}) => scale(notes, 'initial-scale', 'initialScale');
export const rolloutNote = (notes: AnnotationMap = {}) =>
  find(notes, 'serving.knative.dev/', 'rollout-duration', 'rolloutDuration');

/** The autoscaling annotations. */
export function ofScaling(config: KnativeConfig, notes: AnnotationMap): KnativeProblem[] {
  return [
    ...ofClass(notes),
    ...ofScales(config, notes),
    ...ofAmounts(notes),
    ...ofWindow(notes),
    ...ofDurations(notes),
    ...ofMetric(config, notes),
    ...ofAlgorithm(notes),
    ...ofInitialScale(config, notes),
  ];
}

const kpa = 'kpa.autoscaling.knative.dev';
const hpa = 'hpa.autoscaling.knative.dev';

function ofClass(notes: AnnotationMap): KnativeProblem[] {
  const { key, value } = scale(notes, 'class') ?? { key: '', value: '' };
  return value.endsWith('.knative.dev') && ![kpa, hpa].includes(value) ? [invalid(value, key)] : [];
}

const wholeShape = /^[-+]?\d+$/;

function ofCount({ key, value }: Found): KnativeProblem[] {
  if (!wholeShape.test(value)) return [invalid(value, key)];
  return Number(value) < 0 || Number(value) > maxInt32 ? [outOfBounds(value, 0, maxInt32, key)] : [];
}

function ofScales(config: KnativeConfig, notes: AnnotationMap): KnativeProblem[] {
  const count = (found: Found | undefined) =>
    found && ofCount(found).length === 0 ? Number(found.value) : 0;
  const [least, most] = [minScaleNote(notes), maxScaleNote(notes)];
  const [min, max] = [count(least), count(most)];
  const found = [...(least ? ofCount(least) : []), ...(most ? ofCount(most) : [])];
  if (max !== 0 && max < min) {
    const message = `max-scale=${max} is less than min-scale=${min}`;
    found.push(said(message, `${scaling}max-scale`, `${scaling}min-scale`));
  }
  return [...found, ...ofScaleLimit(config, most, max), ...ofActivation(notes, min, max)];
}

function ofScaleLimit(config: KnativeConfig, note: Found | undefined, max: number): KnativeProblem[] {
  const limit = wholeNumber(config, settings, 'max-scale-limit', 0);
  if (!note || limit === 0) return [];
  if (max > limit) return [outOfBounds(max, 1, limit, note.key)];
  return max === 0 ? [said(`max-scale=0 (unlimited), must be less than ${limit}`, note.key)] : [];
}

function ofActivation(notes: AnnotationMap, min: number, max: number): KnativeProblem[] {
  const { key, value } = scale(notes, 'activation-scale') ?? { key: '', value: '' };
  if (key === '') return [];
  if (!wholeShape.test(value)) return [invalid(value, key)];
  const count = Number(value);
  if (min > count) return [said(`min-scale=${min} is greater than activation-scale=${count}`, key)];
  if (max < count && max !== 0) return [said(`max-scale=${max} is less than activation-scale=${count}`, key)];
  return count < 2 ? [said(`activation-scale=${count} must be greater than 1`, key)] : [];
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

function ofAmounts(notes: AnnotationMap): KnativeProblem[] {
  const judged = (
    found: Found | undefined,
    judge: (amount: number, found: Found) => KnativeProblem[],
  ): KnativeProblem[] => {
    if (!found) return [];
    return isNumber(found.value) ? judge(Number(found.value), found) : [invalid(found.value, found.key)];
  };
  const within =
    (least: number, most: number) =>
    (amount: number, { key, value }: Found): KnativeProblem[] =>
      amount < least || amount > most ? [outOfBounds(value, least, most, key)] : [];
  const utilization = ['target-utilization-percentage', 'targetUtilizationPercentage'];
  return [
    ...judged(scale(notes, 'panic-window-percentage', 'panicWindowPercentage'), within(1, 100)),
    ...judged(scale(notes, 'panic-threshold-percentage', 'panicThresholdPercentage'), within(110, 1000)),
    ...judged(scale(notes, 'target'), (amount, { key, value }) =>
      amount < 0.01 ? [said(`target ${value} should be at least 0.01`, key)] : [],
    ),
    ...judged(scale(notes, ...utilization), within(1, 100)),
    ...judged(scale(notes, 'target-burst-capacity', 'targetBurstCapacity'), (amount, { key, value }) =>
      amount < 0 && amount !== -1 ? [invalid(value, key)] : [],
    ),
  ];
}

/** Milliseconds, or undefined when it is none. */
function durationOf(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

const hour = 3_600_000;
const isFine = (ms: number): boolean => ms % 1000 !== 0;
const tooFine = (key: string): KnativeProblem => said('must be specified with at most second precision', key);

function ofWindow(notes: AnnotationMap): KnativeProblem[] {
  const found = scale(notes, 'window');
  if (!found) return [];
  const { key, value } = found;
  const ms = durationOf(value);
  if (ms === undefined) return [invalid(value, key)];
  if (ms < 6000 || ms > hour) return [outOfBounds(value, '6s', '1h0m0s', key)];
  return isFine(ms) ? [tooFine(key)] : [];
}

function ofDurations(notes: AnnotationMap): KnativeProblem[] {
  const judge = (found: Found | undefined, isWhole: boolean): KnativeProblem[] => {
    if (!found) return [];
    const { key, value } = found;
    const ms = durationOf(value);
    if (ms === undefined) return [invalid(value, key)];
    if (ms < 0 || ms > hour) return [outOfBounds(value, '0s', '1h0m0s', key)];
    return isWhole && isFine(ms) ? [tooFine(key)] : [];
  };
  const retention = ['scale-to-zero-pod-retention-period', 'scaleToZeroPodRetentionPeriod'];
  return [
    ...judge(scale(notes, ...retention), false),
    ...judge(scale(notes, 'scale-down-delay', 'scaleDownDelay'), true),
  ];
}

function ofMetric(config: KnativeConfig, notes: AnnotationMap): KnativeProblem[] {
  const metric = scale(notes, 'metric');
  if (!metric) return [];
  const { key, value } = metric;
  const usual = config(settings)['pod-autoscaler-class'] ?? kpa;
  const kind = scale(notes, 'class')?.value ?? usual;
  const isWrong = kind === kpa ? !['concurrency', 'rps'].includes(value) : kind === hpa && value === '';
  return isWrong ? [invalid(value, key)] : [];
}

function ofAlgorithm(notes: AnnotationMap): KnativeProblem[] {
  if (scale(notes, 'class')?.value !== kpa) return [];
  const { key, value } = scale(notes, 'metric-aggregation-algorithm', 'metricAggregationAlgorithm') ?? {
    key: '',
    value: '',
  };
  const known = ['', 'linear', 'weighted-exponential', 'weightedExponential'];
  return known.includes(value) ? [] : [invalid(value, key)];
}

function ofInitialScale(config: KnativeConfig, notes: AnnotationMap): KnativeProblem[] {
  const found = initialScaleNote(notes);
  if (!found) return [];
  const { key, value } = found;
  if (!wholeShape.test(value)) return [invalid(value, key)];
  // compat cluster 5.6: the reason is part of the field's name
  if (Number(value) < 0) return [invalid(value, `${key} must be greater than 0`)];
  const mayBeZero = isTrue(config, settings, 'allow-zero-initial-scale', false);
  return Number(value) === 0 && !mayBeZero ? [invalid(value, `${key}=0 not allowed by cluster`)] : [];
}

const networking = new Set(
  (
    'ingress.class ingress-class certificate.class certificate-class disableAutoTLS disable-auto-tls ' +
    'disable-external-domain-tls httpOption http-protocol'
  )
    .split(' ')
    .map((name) => `networking.knative.dev/${name}`),
);

export const ofNetworking = (notes: AnnotationMap): KnativeProblem[] =>
  Object.keys(notes)
    .filter((key) => key.startsWith('networking.knative.dev') && !networking.has(key))
    .map((key) => said(`invalid key name "${key}"`, ''));

const misplaced = 'autoscaling annotations must be put under "spec.template.metadata.annotations" to work';

/** compat cluster 5.6: on the Service itself they would have no effect, so they are refused. */
export const withoutScaling = (notes: AnnotationMap): KnativeProblem[] =>
  Object.keys(notes)
    .filter((key) => key.startsWith('autoscaling.knative.dev'))
    .map((key) => explained(said(`invalid key name "${key}"`, ''), misplaced));

const sidecar = 'queue.sidecar.serving.knative.dev/';
const deprecated =
  'Queue proxy resource percentage annotation is deprecated. Please use the available annotations to explicitly set resource values per service';

/** The resource annotations of the queue-proxy. */
export function ofSidecarResources(notes: AnnotationMap): KnativeProblem[] {
  const amounts = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [
    find(notes, sidecar, `${name}-resource-request`),
    find(notes, sidecar, `${name}-resource-limit`),
  ]);
  const wrong = amounts.filter((found) => found && !isQuantity(found.value));
  return [
    ...ofShare(find(notes, sidecar, 'resource-percentage', 'resourcePercentage')),
    ...wrong.map((found) => invalid(found?.value, `[${found?.key}]`)),
  ];
}

function ofShare(found: Found | undefined): KnativeProblem[] {
  if (!found) return [];
  const { key, value } = found;
  const warning: KnativeProblem = { ...said(deprecated), isWarning: true };
  if (!isNumber(value)) return [warning, invalid(value, `[${key}]`)];
  const share = Number(value);
  return share < 0.1 || share > 100 ? [warning, outOfBounds(share, 0.1, 100, `[${key}]`)] : [warning];
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return text !== '';
  } catch {
    return false;
  }
}

function ofWholeSeconds(found: Found | undefined, word: string): KnativeProblem[] {
  if (!found || found.value === '') return [];
  const { key, value } = found;
  const ms = durationOf(value);
  if (ms === undefined) return [invalid(value, key)];
  if (isFine(ms)) return [said(`${word}=${value} is not at second precision`, key)];
  return ms < 0 ? [said(`${word}=${value} must be positive`, key)] : [];
}

export const ofRollout = (notes: AnnotationMap): KnativeProblem[] =>
  ofWholeSeconds(rolloutNote(notes), 'rollout-duration');

export const ofProgressDeadline = (notes: AnnotationMap): KnativeProblem[] =>
  ofWholeSeconds(find(notes, 'serving.knative.dev/', 'progress-deadline'), 'progress-deadline');

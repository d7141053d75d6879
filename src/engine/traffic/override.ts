import { type KubeObject, keyFrom, keyOf, type ResourceKey } from '#base/model';
import { FairleadError, isObject, parseJson } from '#base/std';
import {
  checkTraffic,
  isKnativeService,
  isSameTraffic,
  printTraffic,
  type RevisionShare,
  trafficOf,
} from './targets.ts';

/** The annotation of an Application that records its live overrides of traffic. */
export const overrideAnnotation = 'fairlead.io/knative-traffic-override';

/** A split that a person put above what Git declares, until Git declares the same or the override is cleared. */
export type TrafficOverride = {
  readonly service: string;
  readonly namespace: string;
  readonly traffic: readonly RevisionShare[];
  readonly action: string;
  /** The words that were resolved to the names in `traffic`. */
  readonly intent?: string;
  readonly by: string;
  readonly at: string;
  readonly reason: string;
};

const mostOverrides = 50;
const mostBytes = 64 * 1024;

/** The overrides that an Application records; `problem`: why its annotation cannot be read, and nothing of it applies. */
export function overridesOf({ metadata }: Pick<KubeObject, 'metadata'>): {
  readonly overrides: readonly TrafficOverride[];
  readonly problem?: string;
} {
  const text = metadata.annotations?.[overrideAnnotation];
  if (!text) return { overrides: [] };
  try {
    return { overrides: parseOverrides(text) };
  } catch (error) {
    const why = FairleadError.from(error).message;
    return { overrides: [], problem: `annotation ${overrideAnnotation} has no effect: ${why}; remove it` };
  }
}

function parseOverrides(text: string): readonly TrafficOverride[] {
  if (text.length > mostBytes) throw invalid(`it is larger than ${mostBytes} bytes`);
  const list = parseJson(text);
  if (!Array.isArray(list)) throw invalid('it is no list');
  if (list.length > mostOverrides) throw invalid(`it has more than ${mostOverrides} entries`);
  return list.map(parseOverride);
}

function parseOverride(value: unknown): TrafficOverride {
  if (!isObject(value)) throw invalid('an entry is no object');
  const text = (key: string): string => {
    const found = value[key];
    if (typeof found !== 'string') throw invalid(`${key} is missing`);
    return found.slice(0, 1000);
  };
  const traffic = trafficOf({ spec: { traffic: value.traffic } } as unknown as KubeObject) ?? [];
  checkTraffic(traffic);
  const [service, namespace] = [text('service'), text('namespace')];
  const { intent } = value;
  const words = typeof intent === 'string' ? { intent: intent.slice(0, 100) } : {};
  return {
    service,
    namespace,
    traffic,
    action: text('action'),
    ...words,
    by: text('by'),
    at: text('at'),
    reason: text('reason'),
  };
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** The annotation's text with one more override, or without one; undefined: none is left. */
export function printOverrides(overrides: readonly TrafficOverride[]): string | undefined {
  if (overrides.length > mostOverrides)
    throw invalid(`an application has at most ${mostOverrides} overrides: clear some`);
  return overrides.length > 0 ? JSON.stringify(overrides) : undefined;
}

export const keyOfOverride = ({
  service,
  namespace,
}: Pick<TrafficOverride, 'service' | 'namespace'>): ResourceKey =>
  keyFrom({ group: 'serving.knative.dev', kind: 'Service', namespace, name: service });

/** Whether two overrides are of the same Service. */
export const isSameService = (
  one: Pick<TrafficOverride, 'service' | 'namespace'>,
  other: Pick<TrafficOverride, 'service' | 'namespace'>,
): boolean => one.service === other.service && one.namespace === other.namespace;

/** Git declares what the override wants: the override has done its work. */
export const isCaughtUp = ({ traffic }: TrafficOverride, target: KubeObject): boolean =>
  isSameTraffic(trafficOf(target), traffic);

/**
 * The change of annotations that removes the overrides which have ended: Git declares the same, or the Service no longer.
 * Undefined: none has.
 */
export function endedOverrides(
  app: Pick<KubeObject, 'metadata'>,
  targets: readonly KubeObject[],
): Readonly<Record<string, string | null>> | undefined {
  if (!app.metadata.annotations?.[overrideAnnotation]) return undefined;
  const { overrides } = overridesOf(app);
  const left = overrides.filter((one) => {
    const target = targets.find((each) => isKnativeService(each) && keyOf(each) === keyOfOverride(one));
    return target !== undefined && !isCaughtUp(one, target);
  });
  if (left.length === overrides.length) return undefined;
  return { [overrideAnnotation]: printOverrides(left) ?? null };
}

/** The target with the split of the override instead of Git's. */
export function overridden(target: KubeObject, { traffic }: TrafficOverride): KubeObject {
  if (!isKnativeService(target)) return target;
  const spec = isObject(target.spec) ? target.spec : {};
  return { ...target, spec: { ...spec, traffic } } as KubeObject;
}

/** One sentence for a condition: the split, its author, time and reason, and how it ends. */
export function describeOverride({ service, by, at, reason, traffic }: TrafficOverride): string {
  const why = reason ? ` (${reason.slice(0, 200)})` : '';
  return (
    `${by} overrode the traffic of Service ${service} at ${at}${why}: ${printTraffic(traffic)}; ` +
    'it ends when Git declares the same, or with fairlead knative traffic clear'
  );
}

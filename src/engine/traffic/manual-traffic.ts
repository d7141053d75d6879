import type { KubeObject } from '#base/model';
import { FairleadError, isObject, parseJson } from '#base/std';
import { isRevisionName } from './targets.ts';

/** The annotation of a Rollout over a Knative Service that records where a person sends the traffic. */
export const manualTrafficAnnotation = 'fairlead.io/manual-traffic';

/** compat rollouts RK-14: all traffic goes to one Revision by the decision of a person, until it is lifted. */
export type ManualTraffic = {
  readonly revision: string;
  readonly by: string;
  readonly at: string;
  readonly reason: string;
};

const mostBytes = 4096;
const limits = { by: 200, at: 40, reason: 1000 } as const;

/** What a Rollout records; `problem`: why its annotation cannot be read, and has no effect. */
export function manualTrafficOf({ metadata }: Pick<KubeObject, 'metadata'>): {
  readonly record?: ManualTraffic;
  readonly problem?: string;
} {
  const text = metadata.annotations?.[manualTrafficAnnotation];
  if (text === undefined) return {};
  try {
    return { record: parseRecord(text) };
  } catch (error) {
    const why = FairleadError.from(error).message;
    return { problem: `annotation ${manualTrafficAnnotation} has no effect: ${why}; remove it` };
  }
}

/** The text of the annotation. Throws InvalidSpec for a record that would not be read again. */
export function printManualTraffic(record: ManualTraffic): string {
  const text = JSON.stringify(record);
  parseRecord(text);
  return text;
}

function parseRecord(text: string): ManualTraffic {
  if (text.length > mostBytes) throw invalid(`it is larger than ${mostBytes} bytes`);
  const value = parseJson(text);
  if (!isObject(value)) throw invalid('it is no object');
  const { revision } = value;
  if (typeof revision !== 'string' || !isRevisionName(revision))
    throw invalid('revision is no name of a Revision');
  const field = (name: keyof typeof limits): string => {
    const found = value[name];
    if (typeof found !== 'string' || found.trim() === '') throw invalid(`${name} is missing`);
    if (found.length > limits[name]) throw invalid(`${name} is longer than ${limits[name]} characters`);
    // it stands in conditions, events and on terminals
    if (/\p{C}|\p{Zl}|\p{Zp}/u.test(found)) throw invalid(`${name} has control characters`);
    return found;
  };
  const at = field('at');
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at) || Number.isNaN(Date.parse(at))) throw invalid('at is no time');
  return { revision, by: field('by'), at, reason: field('reason') };
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** The message of the Rollout: contract rollouts RK-14 has its words. */
export const manualTrafficMessage = ({ by }: ManualTraffic): string => `manual traffic override by ${by}`;

/** One sentence for a condition: the Revision, the author, time and reason, and how it ends. */
export function describeManualTraffic(
  { metadata }: Pick<KubeObject, 'metadata'>,
  { revision, by, at, reason }: ManualTraffic,
): string {
  const { name, namespace = '' } = metadata;
  return (
    `${by} overrode the traffic of Rollout ${name} at ${at} (${reason.slice(0, 200)}): all of it goes to ${revision}; ` +
    `no update is brought out until fairlead rollouts undo ${name} -n ${namespace} --clear`
  );
}

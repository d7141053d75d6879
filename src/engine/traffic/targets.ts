import { groupOf, type KubeObject } from '#base/model';
import { FairleadError, isObject } from '#base/std';

/** One entry of `spec.traffic` of a Knative Service. Without a revision it is the latest ready one. */
export type RevisionShare = {
  readonly revisionName?: string;
  readonly latestRevision?: boolean;
  readonly percent?: number;
  readonly tag?: string;
};

/** More entries than a person shifts by hand; Knative itself has no limit. */
const mostTargets = 50;

const revisionPattern = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const tagPattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Whether Knative accepts a text as the name of a Revision. */
export const isRevisionName = (text: string): boolean => revisionPattern.test(text);

/** Whether an object is a Service of Knative Serving. */
export const isKnativeService = (object: KubeObject): boolean =>
  object.kind === 'Service' && groupOf(object) === 'serving.knative.dev';

/** The entries of `spec.traffic`; undefined: it has none, and Knative owns the split. */
export function trafficOf({ spec }: KubeObject): readonly RevisionShare[] | undefined {
  return isObject(spec) ? targetsIn(spec.traffic) : undefined;
}

/** The shares as they are now, in `status.traffic`. */
export function sharesOf({ status }: KubeObject): readonly (RevisionShare & { readonly url?: string })[] {
  if (!isObject(status) || !Array.isArray(status.traffic)) return [];
  return status.traffic
    .filter(isObject)
    .map((entry) => ({ ...targetIn(entry), ...(typeof entry.url === 'string' && { url: entry.url }) }));
}

function targetsIn(value: unknown): readonly RevisionShare[] | undefined {
  return Array.isArray(value) ? value.filter(isObject).map(targetIn) : undefined;
}

function targetIn(entry: Readonly<Record<string, unknown>>): RevisionShare {
  const { revisionName, latestRevision, percent, tag } = entry;
  return {
    ...(typeof revisionName === 'string' && revisionName !== '' && { revisionName }),
    ...(typeof latestRevision === 'boolean' && { latestRevision }),
    ...(typeof percent === 'number' && { percent }),
    ...(typeof tag === 'string' && tag !== '' && { tag }),
  };
}

/** Whether two splits send the same shares to the same revisions under the same tags, in whatever order and spelling. */
export function isSameTraffic(
  one: readonly RevisionShare[] | undefined,
  other: readonly RevisionShare[] | undefined,
): boolean {
  if (!one || !other) return one === other;
  return canonical(one) === canonical(other);
}

const canonical = (targets: readonly RevisionShare[]): string =>
  JSON.stringify(
    targets.map(({ revisionName = '', percent = 0, tag = '' }) => [revisionName, percent, tag]).sort(),
  );

/** In a sentence: `v1 90%, v2 10% (candidate)`. */
export function printTraffic(targets: readonly RevisionShare[] | undefined): string {
  if (!targets || targets.length === 0) return 'the latest ready revision 100%';
  return targets
    .map(({ revisionName = 'the latest ready revision', percent = 0, tag }) => {
      return `${revisionName} ${percent}%${tag ? ` (${tag})` : ''}`;
    })
    .join(', ');
}

/** Throws InvalidSpec, naming the entry, for a split that Knative would refuse. */
export function checkTraffic(targets: readonly RevisionShare[]): void {
  if (targets.length === 0) throw invalid('a traffic split needs at least one revision');
  if (targets.length > mostTargets) throw invalid(`a traffic split has at most ${mostTargets} entries`);
  for (const target of targets) checkTarget(target);
  const tags = targets.flatMap(({ tag }) => tag ?? []);
  const repeated = tags.find((tag, at) => tags.indexOf(tag) !== at);
  if (repeated !== undefined) throw invalid(`tag ${repeated} is given to two entries: a tag names one`);
  const sum = targets.reduce((total, { percent = 0 }) => total + percent, 0);
  if (sum !== 100) throw invalid(`the percentages add up to ${sum}, not to 100`);
}

function checkTarget({ revisionName, latestRevision, percent, tag }: RevisionShare): void {
  if (revisionName !== undefined && !isRevisionName(revisionName))
    throw invalid(`${shown(revisionName)} is no name of a Revision: use lower-case letters, digits and -`);
  if (revisionName !== undefined && latestRevision)
    throw invalid(`${revisionName} cannot be the latest revision as well: give one of the two`);
  if (percent !== undefined && (!Number.isInteger(percent) || percent < 0 || percent > 100))
    throw invalid(`a percentage is a whole number from 0 to 100, not ${percent}`);
  if (tag !== undefined && !tagPattern.test(tag))
    throw invalid(`${shown(tag)} is no tag: use lower-case letters, digits and -`);
}

/** What a user or Git wrote, short and on one line. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

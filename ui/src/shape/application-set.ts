import {
  type Application,
  type ApplicationSet,
  argoGroup,
  type Condition,
  controllerOf,
  groupOf,
  type HealthCode,
  type KubeObject,
} from '#base/model';
import { type ObjectName, placeOf } from './address.ts';
import type { AppFact } from './facts.ts';
import { innermost } from './innermost-cause.ts';
import type { Notice } from './notices.ts';
import { placeInRepo, repoName } from './revision.ts';
import { inWords } from './set-generators.ts';
import { counted, quote, type Span } from './span.ts';
import { healthCode } from './state.ts';

/** compat sources ASA-9: the set that controls an application, which is in the same namespace; undefined: none does. */
export function setOf(app: Application): ObjectName | undefined {
  const owner = controllerOf(app);
  if (owner?.kind !== 'ApplicationSet' || groupOf(owner) !== argoGroup) return undefined;
  return { namespace: placeOf(app).namespace, name: owner.name };
}

const nameOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`;

/** The applications of each set, by the name that `ownedIn` reads. */
export type OwnedApplications = ReadonlyMap<string, readonly Application[]>;

export function ownedApplications(apps: readonly Application[]): OwnedApplications {
  const owned = new Map<string, Application[]>();
  for (const app of apps) {
    const set = setOf(app);
    if (!set) continue;
    const members = owned.get(nameOf(set));
    if (members) members.push(app);
    else owned.set(nameOf(set), [app]);
  }
  return owned;
}

export const ownedIn = (owned: OwnedApplications, set: KubeObject): readonly Application[] =>
  owned.get(nameOf(placeOf(set))) ?? [];

/** compat sources ASN-2: a set belongs to the project of its template. */
export const projectOfSet = ({ spec }: ApplicationSet): string => spec.template?.spec?.project || 'default';

/** A condition that holds. */
export function holding({ status }: ApplicationSet, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type && one.status === 'True');
}

/** compat sources ASA-15: the reported health; of a status without one, what its conditions amount to. */
export function healthOfSet(set: ApplicationSet): HealthCode {
  const { health, conditions = [] } = set.status ?? {};
  if (health?.status) return healthCode(health.status);
  const upToDate = conditions.find(({ type }) => type === 'ResourcesUpToDate')?.status;
  if (holding(set, 'ErrorOccurred') || upToDate === 'False') return 'Degraded';
  return upToDate === 'True' && !holding(set, 'RolloutProgressing') ? 'Healthy' : 'Progressing';
}

/** How many applications it has: as it reports, since a user may not see them all. */
export const countOfSet = ({ status }: ApplicationSet, seen: number): number =>
  status?.resourcesCount ?? status?.resources?.length ?? seen;

/** The cause as the sentence quotes it: one line, of bearable length. */
export const causeIn = (message: string): Span => quote(innermost(message), 240);

/** Conditions that the sentence does not include, errors first. */
export function setNotices(set: ApplicationSet): Notice[] {
  const error = holding(set, 'ErrorOccurred')?.message ?? '';
  const invalid = holding(set, 'InvalidRolloutConfig');
  const warning = holding(set, 'ConfigurationWarning');
  return [
    // the sentence has the cause only, and cuts a long one
    ...(causeIn(error).text === quote(error, Number.POSITIVE_INFINITY).text && !error.includes('\n')
      ? []
      : [notice('Error', error, 'bad')]),
    ...(invalid ? [notice('Steps', invalid.message ?? 'the rollout cannot be used', 'bad')] : []),
    ...(warning?.message ? [notice('Warning', warning.message, 'warn')] : []),
  ];
}

const notice = (title: string, message: string, tone: Notice['tone']): Notice => ({ title, message, tone });

/** What it is made of and what it may do, under the sentence. */
export function setFacts(set: ApplicationSet): AppFact[] {
  const { generators = [] } = set.spec;
  const [first = 'none', ...others] = generators.map(inWords);
  return [
    { label: generators.length > 1 ? 'Generators' : 'Generator', value: first, note: others.join('; ') },
    templateFact(set),
    { label: 'Project', value: projectOfSet(set), note: `namespace ${placeOf(set).namespace}` },
    policyFact(set),
    strategyFact(set),
  ];
}

function templateFact({ spec }: ApplicationSet): AppFact {
  const { source, sources } = spec.template?.spec ?? {};
  const [first = source] = sources ?? [];
  if (!first?.repoURL) return { label: 'Template', value: 'no source' };
  return { label: 'Template', value: repoName(first.repoURL), note: placeInRepo(first) };
}

const policies: ReadonlyMap<string, string> = new Map([
  ['create-only', 'creates, and leaves alone'],
  ['create-update', 'creates and updates, deletes nothing'],
  ['create-delete', 'creates and deletes, updates nothing'],
]);

function policyFact({ spec }: ApplicationSet): AppFact {
  const { applicationsSync = 'sync', preserveResourcesOnDeletion } = spec.syncPolicy ?? {};
  return {
    label: 'Policy',
    value: policies.get(applicationsSync) ?? 'creates, updates and deletes',
    ...(preserveResourcesOnDeletion && { note: 'resources outlive their application' }),
  };
}

function strategyFact({ spec }: ApplicationSet): AppFact {
  const { type, rollingSync } = spec.strategy ?? {};
  if (type !== 'RollingSync') return { label: 'Rollout', value: 'all at once' };
  return { label: 'Rollout', value: `in ${counted(rollingSync?.steps?.length ?? 0, 'step')}` };
}

import {
  type Application,
  type ApplicationSet,
  compareBytes,
  type Destination,
  destinationProblem,
  type Operation,
  projectName,
  qualifiedName,
} from '#base/model';
import type { JsonObject } from '#base/std';
import { applyMergePatch } from '#kubernetes/patch';
import { withoutAutomation } from '../rollout/automation.ts';
import { deletionBlocked } from './delete-guard.ts';
import { isOwnedBySet, ownedReferences, ownershipProblem } from './ownership.ts';
import { rightsOf, type SetSettings } from './policy.ts';
import { type SetUpdateRules, setUpdateRules, updatePatch } from './update.ts';

/** One write of a pass. Creations and updates are carried out before deletions, each in the order of names. */
type SetCreation = { readonly do: 'create'; readonly application: Application };
type SetUpdate = {
  readonly do: 'update';
  readonly live: Application;
  /** A JSON merge patch. */
  readonly patch: JsonObject;
};
type SetDeletion = {
  readonly do: 'delete';
  readonly live: Application;
  /** compat sources ASA-8: its cluster is unknown, so the finalizer that deletes resources there is removed first. */
  readonly withoutResourcesFinalizer: boolean;
};
type ApplicationProblem = { readonly application: string; readonly message: string };

export type SetPlan = {
  readonly writes: readonly (SetCreation | SetUpdate)[];
  /** compat sources ASA-2: not to be attempted when a write of the same pass failed. */
  readonly deletions: readonly SetDeletion[];
  readonly unchanged: number;
  /** compat sources ASA-1: applications that are neither created nor updated; they are not deleted either. */
  readonly invalid: readonly ApplicationProblem[];
  /** Why nothing at all is to be done (sources AS-2, ASN-5). */
  readonly blocked?: string;
};

export type SetPlanInput = {
  readonly set: ApplicationSet;
  readonly settings: SetSettings;
  /** In generation order. */
  readonly generated: readonly Application[];
  /** compat sources AS-2: what failed in a generator or a template; with any of it the plan is empty. */
  readonly failures: readonly string[];
  /** The live applications of the set's namespace, at least those it owns and those of the generated names. */
  readonly live: readonly Application[];
  readonly hasProject: (name: string) => boolean;
  /** Why a destination is no known cluster; undefined: it is one. */
  readonly unknownDestination: (destination: Destination) => string | undefined;
  /** The syncs that a rollout starts, by the name of the application; they travel with the update. */
  readonly operations?: ReadonlyMap<string, Operation>;
};

const nothing = { writes: [], deletions: [], unchanged: 0, invalid: [] } as const;

/** compat sources 5.5: all that one pass writes. Throws InvalidSpec for ignore rules that cannot be read. */
export function planSet(input: SetPlanInput): SetPlan {
  const { set, settings, generated, failures, live } = input;
  const [failure] = failures;
  if (failure !== undefined) return { ...nothing, blocked: counted(failure, failures.length - 1) };
  const allowed = rightsOf(set, settings);
  const owned = live.filter((app) => isOwnedBySet(app, set));
  const names = new Set(generated.map(({ metadata }) => metadata.name));
  const deletions = allowed.delete ? deletionsOf(owned, names, input) : [];
  const blocked = deletionBlocked(set, { deleted: deletions.length, owned: owned.length });
  if (blocked !== undefined) return { ...nothing, blocked };
  const problems = validate(input);
  const { writes, unchanged, conflicts } = writesOf(input, {
    problems,
    allowed,
    rules: rulesFor(set, settings),
  });
  const invalid = [...problems, ...conflicts]
    .map(([application, message]) => ({ application, message }))
    .sort((a, b) => compareBytes(a.application, b.application));
  return { writes, deletions, unchanged, invalid };
}

/** compat sources ASA-1: the message of a status for several problems. */
export function counted(message: string, others: number): string {
  return others > 0 ? `${message} (and ${others} more)` : message;
}

const known = new WeakMap<object, { readonly settings: SetSettings; readonly rules: SetUpdateRules }>();

/** The rules of one generation under the same settings are the very same, so that comparisons can be kept. */
function rulesFor(set: ApplicationSet, settings: SetSettings): SetUpdateRules {
  const last = known.get(set.spec);
  if (last && last.settings === settings && last.rules.set.metadata.uid === set.metadata.uid)
    return last.rules;
  const rules = setUpdateRules(set, settings);
  known.set(set.spec, { settings, rules });
  return rules;
}

/**
 * compat sources 5.6.3: whether what a set generates differs from the live spec, both without automation, and without what
 * the set ignores; undefined: they could not be compared (sources ASY-5).
 */
export function isOutdated(
  live: Application,
  target: Application,
  { set, settings }: Pick<SetPlanInput, 'set' | 'settings'>,
): boolean | undefined {
  try {
    const patch = updatePatch(withoutAutomation(live), withoutAutomation(target), rulesFor(set, settings));
    return patch?.spec !== undefined;
  } catch {
    return undefined;
  }
}

/** compat sources ASA-1: the first problem of each application, by its name. */
function validate({ set, generated, hasProject, unknownDestination }: SetPlanInput): Map<string, string> {
  const problems = new Map<string, string>();
  const seen = new Set<string>();
  for (const app of generated) {
    const { name } = app.metadata;
    const problem = () => {
      if (name === '')
        return 'a generated application has no name; template.metadata.name must not render to nothing';
      if (seen.has(name)) {
        return `ApplicationSet ${set.metadata.name} contains applications with duplicate name: ${name}`;
      }
      const project = projectName(app);
      if (!hasProject(project))
        return `application ${name} references project ${project} which does not exist`;
      const { destination = {} } = app.spec;
      const unknown = destinationProblem(destination) ?? unknownDestination(destination);
      return unknown && `application ${name}: application destination spec is invalid: ${unknown}`;
    };
    const found = problem();
    if (found) problems.set(name, problems.get(name) ?? found);
    seen.add(name);
  }
  return problems;
}

type WriteRules = {
  readonly problems: ReadonlyMap<string, string>;
  readonly allowed: { readonly create: boolean; readonly update: boolean };
  readonly rules: SetUpdateRules;
};

function writesOf(
  input: SetPlanInput,
  { problems, allowed, rules }: WriteRules,
): { writes: (SetCreation | SetUpdate)[]; unchanged: number; conflicts: Map<string, string> } {
  const { set, operations } = input;
  const byName = new Map(input.live.map((app) => [app.metadata.name, app]));
  const conflicts = new Map<string, string>();
  let unchanged = 0;
  const writeOf = (target: Application): readonly (SetCreation | SetUpdate)[] => {
    const { name } = target.metadata;
    const live = byName.get(name);
    const operation = operations?.get(name);
    if (!live) return allowed.create ? [createdBy(set, target, operation)] : [];
    const conflict = ownershipProblem(live, set);
    if (conflict) {
      conflicts.set(name, conflict);
      return [];
    }
    const write = allowed.update && updateTo(target, live, { rules, operation });
    if (write) return [write];
    unchanged += 1;
    return [];
  };
  const writes = input.generated
    .filter(({ metadata }) => !problems.has(metadata.name))
    .toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name))
    .flatMap(writeOf);
  return { writes, unchanged, conflicts };
}

/** One that is being deleted takes no finalizer any more; the pass after its end creates it. */
function updateTo(
  target: Application,
  live: Application,
  { rules, operation }: { readonly rules: SetUpdateRules; readonly operation: Operation | undefined },
): SetUpdate | undefined {
  if (isEnding(live)) return undefined;
  const patch = updatePatch(live, target, rules);
  if (operation) return { do: 'update', live, patch: { ...patch, operation } };
  return patch && { do: 'update', live, patch };
}

const isEnding = ({ metadata }: Application): boolean => metadata.deletionTimestamp !== undefined;

function createdBy(set: ApplicationSet, target: Application, operation: Operation | undefined): SetCreation {
  const metadata = { ...target.metadata, ownerReferences: [...ownedReferences(undefined, set)] };
  return { do: 'create', application: { ...target, metadata, ...(operation ? { operation } : {}) } };
}

/** compat sources ASA-8: the owned applications that no generator names any more; those already ending are left alone. */
function deletionsOf(
  owned: readonly Application[],
  names: ReadonlySet<string>,
  { unknownDestination }: SetPlanInput,
): SetDeletion[] {
  return owned
    .filter((app) => !names.has(app.metadata.name) && !isEnding(app))
    .toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name))
    .map((live) => ({
      do: 'delete',
      live,
      withoutResourcesFinalizer: isUnknown(live, unknownDestination),
    }));
}

function isUnknown({ spec }: Application, unknownDestination: SetPlanInput['unknownDestination']): boolean {
  const { destination = {} } = spec;
  return (destinationProblem(destination) ?? unknownDestination(destination)) !== undefined;
}

/** One line of a preview: what would happen to which application, with both sides for a diff. */
type SetChange = {
  readonly action: 'create' | 'update' | 'delete';
  readonly application: string;
  readonly live?: Application;
  readonly target?: Application;
};

/** dev sources ASN-5: a plan as people read it, by name. */
export function previewSet({ writes, deletions }: SetPlan): readonly SetChange[] {
  const changes = [...writes, ...deletions].map((write): SetChange => {
    if (write.do === 'create') {
      return { action: 'create', application: qualifiedName(write.application), target: write.application };
    }
    const { live } = write;
    if (write.do === 'delete') return { action: 'delete', application: qualifiedName(live), live };
    const target = applyMergePatch(live, write.patch) as Application;
    return { action: 'update', application: qualifiedName(live), live, target };
  });
  return changes.toSorted((a, b) => compareBytes(a.application, b.application));
}

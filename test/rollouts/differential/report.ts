import { type Difference, differences } from '../../conformance/compare.ts';
import { isWithin } from '../../conformance/pointer.ts';
import type { Played } from './play.ts';
import { type Accepted, readAccepted, type Scenario } from './scenario.ts';
import type { Snapshot } from './snapshot.ts';

/** What a controller made of a scenario. */
type Outcome = Played | { readonly failure: string };
/** By the name of the scenario. */
export type Outcomes = Record<string, Outcome>;

export const isPlayed = (outcome: Outcome | undefined): outcome is Played =>
  outcome !== undefined && 'checkpoints' in outcome;

type Pair = { readonly upstream: Snapshot; readonly ours: Snapshot };

/** The entry that wants this difference. */
const acceptedAs = (
  name: string,
  { path, real, ours }: Difference,
  accepted: readonly Accepted[],
): Accepted | undefined =>
  accepted.find(
    ({ scenario = name, path: place, without }) =>
      scenario === name &&
      isWithin(path, place) &&
      (without === undefined || String(ours).replace(new RegExp(without, 'g'), '') === real),
  );

/** Whether the two differ only where the contract wants it. */
export const isSame = (
  scenario: string,
  { upstream, ours, accepted }: Pair & { readonly accepted: readonly Accepted[] },
): boolean => differences(upstream, ours).every((one) => acceptedAs(scenario, one, accepted));

type Compared = {
  readonly upstream: Outcomes;
  readonly ours: Outcomes;
  /** Whether all scenarios were played: only then an entry that explains nothing is a problem. */
  readonly isComplete: boolean;
};

/** Prints where the two controllers differ; returns the exit code. */
export function report(scenarios: readonly Scenario[], compared: Compared): number {
  const accepted = readAccepted();
  const used = new Set<Accepted>();
  const problems: string[] = [];
  for (const { name } of scenarios) {
    const found = problemsOf(name, [compared.upstream[name], compared.ours[name]], { accepted, used });
    print(`${found.length === 0 ? 'same' : 'DIFFERENT'}: ${name}`);
    problems.push(...found);
  }
  const names = new Set(scenarios.map(({ name }) => name));
  const wasPlayed = ({ scenario }: Accepted): boolean =>
    scenario === undefined ? compared.isComplete : names.has(scenario);
  for (const one of accepted.filter((entry) => wasPlayed(entry) && !entry.sometimes && !used.has(entry)))
    problems.push(`${placeOf(one)}: accepted, but there is no difference`);
  for (const problem of problems) print(problem);
  for (const one of used) print(`accepted: ${placeOf(one)}: ${one.reason}`);
  print(`${scenarios.length} scenarios, ${problems.length} problems, ${used.size} accepted differences`);
  return problems.length === 0 ? 0 : 1;
}

const placeOf = ({ scenario = 'any scenario', path, rule }: Accepted): string =>
  `${scenario} ${path} (${rule})`;

type Listed = { readonly accepted: readonly Accepted[]; readonly used: Set<Accepted> };

function problemsOf(
  name: string,
  [upstream, ours]: readonly [Outcome | undefined, Outcome | undefined],
  { accepted, used }: Listed,
): string[] {
  if (!isPlayed(upstream)) return [`${name}, Argo Rollouts: ${upstream?.failure}`];
  if (!isPlayed(ours)) return [`${name}, ours: ${ours?.failure}`];
  const places = [
    ...upstream.checkpoints.map(
      (one, at) => [`checkpoint ${at + 1}`, one, ours.checkpoints[at] ?? {}] as const,
    ),
    ['end', upstream.events, ours.events] as const,
  ];
  return places.flatMap(([place, there, here]) =>
    differences(there, here).flatMap((one) => {
      const entry = acceptedAs(name, one, accepted);
      if (entry) used.add(entry);
      return entry ? [] : [described(`${name}, ${place}`, one)];
    }),
  );
}

const described = (where: string, { path, real, ours }: Difference): string =>
  `${where}, ${path}\n    Argo Rollouts: ${shown(real)}\n    ours: ${shown(ours)}`;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

const print = (line: string): boolean => process.stdout.write(`${line}\n`);

import type { Command, Option } from 'commander';
import { applicationSets, applications, clusters, projects, repositories } from '#serve/api';
import type { CliDeps } from '../cli-deps.ts';
import { nameOfSet } from '../output/print-sets.ts';
import { configPath, readConfig } from '../session/config-file.ts';
import type { Session } from '../session/session.ts';

/** A word that fits, and what it is. */
type Candidate = readonly [word: string, about: string];
type Names = (session: Session) => Promise<readonly string[]>;

/** A shell waits for it: rather no names than late ones. */
const longestMs = 2_000;

const appNames: Names = async (session) => {
  const fields = 'items.metadata.name,items.metadata.namespace';
  const { items } = await session.call(applications.list, { query: { fields } });
  return items.map(({ metadata }) =>
    metadata.namespace === 'argocd' ? metadata.name : `${metadata.namespace}/${metadata.name}`,
  );
};
const projectNames: Names = async (session) =>
  (await session.call(projects.list)).items.map(({ metadata }) => metadata.name);
const clusterNames: Names = async (session) =>
  (await session.call(clusters.list)).items.map(({ name }) => name);

/** What the first argument of the commands of a group names. */
const namesOf: Readonly<Record<string, Names>> = {
  app: appNames,
  appset: async (session) => (await session.call(applicationSets.list)).items.map(nameOfSet),
  proj: projectNames,
  cluster: clusterNames,
  repo: async (session) => (await session.call(repositories.list)).items.map(({ repo }) => repo),
};
const namesOfFlag: Readonly<Record<string, Names>> = {
  '--project': projectNames,
  '--dest-name': clusterNames,
  '--cluster': clusterNames,
};
/** These make something, so their first argument is no name that exists. */
const making: ReadonlySet<string> = new Set(['create', 'add', 'generate', 'run']);

/** For the scripts of `completion`: the words that may come next, one per line. */
export function addComplete(complete: Command, deps: CliDeps): void {
  complete.argument('[words...]').action(async (words: string[]) => {
    const last = words.at(-1) ?? '';
    const found = await candidates(deps, words.slice(0, -1), last).catch(() => []);
    const fitting = found.filter(([word]) => word.startsWith(last));
    deps.io.out(fitting.map(([word, about]) => `${word}\t${about.replaceAll(/\s+/g, ' ')}\n`).join(''));
  });
}

async function candidates(
  deps: CliDeps,
  before: readonly string[],
  last: string,
): Promise<readonly Candidate[]> {
  const { command, path, values } = walk(deps.program, before);
  const option = optionNamed(command, deps.program, before.at(-1) ?? '');
  if (option?.required) return valuesOf(deps, option);
  if (last.startsWith('-')) return [...flagsOf(command), ...flagsOf(deps.program)];
  const below = shownBelow(command);
  if (below.length > 0) return below.map((one) => [one.name(), one.description()] as const);
  return values === 0 ? live(deps, path) : [];
}

/** Without those that only say why they are not there. */
const shownBelow = (command: Command): Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');

/** The command that the words lead to, and how many arguments it has already. */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  const path: string[] = [];
  let values = 0;
  let isValue = false;
  for (const word of words) {
    const option = optionNamed(command, program, word);
    const next = isValue || option ? undefined : command.commands.find((one) => one.name() === word);
    if (next) {
      command = next;
      path.push(word);
    } else if (!isValue && !word.startsWith('-')) values++;
    isValue = option?.required === true;
  }
  return { command, path, values };
}

const optionNamed = (command: Command, program: Command, word: string): Option | undefined =>
  [...command.options, ...program.options].find(
    ({ long, short }) => word !== '' && (word === long || word === short),
  );

const flagsOf = ({ options }: Command): Candidate[] =>
  options.flatMap(({ long, hidden, description }) => (long && !hidden ? [[long, description] as const] : []));

/** The values of a flag: names that exist, or the formats that its text lists. */
async function valuesOf(deps: CliDeps, { long, description }: Option): Promise<readonly Candidate[]> {
  const names = namesOfFlag[long ?? ''];
  if (names) return requested(deps, names);
  if (long !== '--output') return [];
  return (
    description
      .match(/\b(?:wide|name|json|yaml|tree=detailed|tree|id|url|server)\b/g)
      ?.map((word) => [word, '']) ?? []
  );
}

async function live(deps: CliDeps, path: readonly string[]): Promise<readonly Candidate[]> {
  const [group = '', verb = ''] = path;
  if (group === 'context' || group === 'logout') return contexts(deps);
  if (group === 'completion') return ['bash', 'zsh', 'fish'].map((shell) => [shell, '']);
  const names = Object.hasOwn(namesOf, group) ? namesOf[group] : undefined;
  return names && !making.has(verb) ? requested(deps, names) : [];
}

async function contexts({ io, flags }: CliDeps): Promise<readonly Candidate[]> {
  const { contexts: all = [] } = await readConfig(flags().config ?? configPath(io.env));
  return all.map(({ name, server }) => [name, server]);
}

async function requested(deps: CliDeps, names: Names): Promise<readonly Candidate[]> {
  const { session } = await deps.open();
  const late = new Promise<readonly string[]>((resolve) => {
    AbortSignal.timeout(longestMs).addEventListener('abort', () => resolve([]));
  });
  return (await Promise.race([names(session), late])).map((name) => [name, '']);
}

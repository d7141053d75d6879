import { parseArgs } from 'node:util';
import { byTest, type Mutation, readMutations } from './list.ts';
import { ProjectCopy } from './project-copy.ts';
import { NoticedMutations } from './results.ts';

/**
 * Removes one defence after the other from a copy of the project and runs the test that must notice. A mutation that no
 * test notices is a defence that the next change can lose in silence. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    attack: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    defence: { type: 'string', default: '' },
    lanes: { type: 'string', default: '2' },
    again: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const noticedBefore = new NoticedMutations();
const matching = readMutations().filter(
  ({ attack, defence }) =>
    (values.attack === '' || values.attack.split(',').map(Number).includes(attack)) &&
    attack >= Number(values.from) &&
    defence.includes(values.defence),
);
if (matching.length === 0) {
  print('no mutation matches: --attack and --from take numbers, --defence a part of its sentence');
  process.exit(2);
}
const mutations = matching.filter((one) => values.again || !noticedBefore.has(one));
const skipped = matching.length - mutations.length;
if (skipped > 0) print(`${skipped} noticed in an earlier run and unchanged since: --again runs them too`);

const groups = byTest(mutations);
const lanes = Math.max(1, Math.min(groups.length, Number(values.lanes)));
const copies = Array.from({ length: mutations.length > 0 ? lanes : 0 }, () => new ProjectCopy());
const unnoticed: string[] = [];

function report(mutation: Mutation, noticed: string | undefined, problem = ''): void {
  const line = `attack ${mutation.attack}: ${mutation.defence}`;
  print(`${noticed === undefined ? 'UNNOTICED' : 'noticed  '}  ${line}\n           ${noticed ?? problem}`);
  if (noticed === undefined) unnoticed.push(line);
  else noticedBefore.add(mutation);
}

/** Whether a test noticed that the defence is missing; else why that was not shown. */
async function judge(copy: ProjectCopy, mutation: Mutation): Promise<void> {
  const { failed, problem } = await copy.testWith(mutation);
  const [first] = failed;
  report(mutation, first?.message, problem ?? `${mutation.test} passes without it`);
}

/** Why a test says nothing as it is. Tests that run by their names run so here too: one may need what another of its file did. */
async function problemWith(copy: ProjectCopy, group: readonly Mutation[]): Promise<string | undefined> {
  const names = new Set(group.map(({ fails }) => fails));
  const runs = [...(names.delete('') ? [[]] : []), ...(names.size > 0 ? [[...names]] : [])];
  const [{ test } = { test: '' }] = group;
  for (const named of runs) {
    const { failed, problem } = await copy.test(test, named);
    const reasons = failed.map(({ name, message }) => `${name}: ${message}`).join('; ');
    if (problem) return problem;
    if (reasons) return `${test} fails before anything is removed: ${reasons}`;
  }
  return undefined;
}

/** The test as it is, then without one defence after the other. What fails as it is proves nothing. */
async function judgeAll(copy: ProjectCopy, group: readonly Mutation[]): Promise<void> {
  const why = await problemWith(copy, group);
  for (const mutation of group) {
    if (why) report(mutation, undefined, why);
    else await judge(copy, mutation);
  }
}

async function lane(copy: ProjectCopy, queue: (readonly Mutation[])[]): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) await judgeAll(copy, next);
}

const removeCopies = (): void => {
  for (const copy of copies) copy.remove();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeCopies();
    process.exit(1);
  });
}

try {
  const queue = [...groups];
  await Promise.all(copies.map((copy) => lane(copy, queue)));
  print(`${matching.length - unnoticed.length} passed, ${unnoticed.length} failed`);
  for (const line of unnoticed) print(`UNNOTICED  ${line}`);
  if (unnoticed.length > 0) process.exitCode = 1;
} finally {
  removeCopies();
}

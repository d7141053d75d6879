import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { type Answer, type Case, readCases, withAnswers } from './case.ts';
import { differences, inAnyOrder, judge, type KnownDifference } from './compare.ts';
import { play } from './play.ts';
import { openTarget, type Target } from './target.ts';

/**
 * The conformance suite. Its cases are data, the same for every cluster: requests, and what a real Kubernetes answered
 * to them. CONTRIBUTING.md says how to add one.
 */
const { FAIRLEAD_TEST_RECORD: records, FAIRLEAD_TEST_NEEDS: only } = process.env;
const target: Target = await openTarget();
const known = (parse(readFileSync(new URL('known-differences.yaml', import.meta.url), 'utf8')) ??
  []) as KnownDifference[];
const cases = readCases();

afterAll(() => target.close());

const isFor = ({ needs, steps }: Case): boolean =>
  needs.every((need) => target.has(need)) &&
  (!only || needs.some((need) => need === only)) &&
  (records !== 'new' || steps.some(({ answer }) => answer?.code === undefined && !answer?.events));

const where = target.isReal ? 'a real cluster' : 'the embedded cluster';
const rows = (isAlone: boolean) =>
  cases
    .filter((one) => isFor(one) && Object.keys(one.settings).length > 0 === isAlone)
    .map((one) => [`${one.name}: ${one.about}`, one] as const);

const [together, alone] = [rows(false), rows(true)];
if (together.length > 0)
  describe.concurrent(`on ${where}`, () => {
    test.for(together)('%s', ([, one]) => played(one));
  });

// settings are those of the whole cluster: one case after the other, when nothing else is played
if (alone.length > 0)
  describe(`with settings, on ${where}`, () => {
    test.for(alone)('%s', ([, one]) => played(one));
  });

async function played(one: Case): Promise<void> {
  if (records) return record(one, await play(target, one));
  const as = target.isReal ? inAnyOrder : (answer: unknown) => answer;
  const found = (answer: Answer, at: number) =>
    differences(as(one.steps[at]?.answer), as(answer)).map((difference) => ({ ...difference, step: at + 1 }));
  const isRecorded = (answer: Answer, at: number) => !target.isReal || found(answer, at).length === 0;
  const answers = await play(target, one, isRecorded);
  const accepted = target.isReal ? [] : known.filter((difference) => difference.case === one.name);
  expect(judge(answers.flatMap(found), accepted)).toEqual([]);
}

function record(one: Case, answers: Parameters<typeof withAnswers>[1]): void {
  if (!target.isReal)
    throw new Error('answers are recorded from a real cluster: set FAIRLEAD_TEST_KUBECONFIG');
  writeFileSync(one.file, withAnswers(one, answers));
}

test('every known difference has a reason and a case', () => {
  const names = new Set(cases.map(({ name }) => name));
  expect(known.filter((one) => !names.has(one.case) || !one.reason?.trim())).toEqual([]);
});

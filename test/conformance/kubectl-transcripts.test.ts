import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { createKubeClient } from '#kubernetes/client';
import { eventually } from '../eventually.ts';
import { openTarget, type Target } from './target.ts';
import { type Desk, type Release, sitDown } from './toolbox.ts';
import {
  comparable,
  masked,
  readTranscripts,
  recorded,
  type Said,
  type Step,
  type Transcript,
  withAnswers,
} from './transcript.ts';

/**
 * What people type, and what they read: the real kubectl and helm, compared line by line with what they printed on a
 * real Kubernetes. Every transcript is told in a namespace of its own.
 */
const { FAIRLEAD_TEST_RECORD: records, FAIRLEAD_TEST_NEEDS: only } = process.env;
const target: Target = await openTarget();
const kube = createKubeClient({ transport: target.transport.admin });
const transcripts = readTranscripts();

afterAll(() => target.close());

const isNew = ({ steps }: Transcript): boolean =>
  steps.every(({ out, err, quiet }) => quiet || (out === undefined && err === undefined));

const isWanted = (one: Transcript): boolean =>
  one.needs.every((need) => target.has(need)) &&
  (!only || one.needs.some((need) => need === only)) &&
  (records !== 'new' || isNew(one));

const tellings = transcripts
  .filter(isWanted)
  .flatMap((one) => [one.release, ...(records ? [] : one.also)].map((release) => ({ one, release })))
  .map((telling) => [`${telling.one.name}: ${telling.one.about} (${telling.release})`, telling] as const);

const where = `on ${target.isReal ? 'a real cluster' : 'the embedded cluster'}`;
const compare = async ([, { one, release }]: (typeof tellings)[number]) => {
  const said = await tell(one, release);
  if (records) return record(one, said);
  const told = (step: Step, what: Said) => ({ run: step.run, ...what });
  expect(one.steps.map((step, at) => told(step, said[at] ?? {}))).toEqual(
    one.steps.map((step) => told(step, recorded(step))),
  );
};

const alone = tellings.filter(([, { one }]) => one.alone);
const together = tellings.filter(([, { one }]) => !one.alone);
if (together.length > 0) describe.concurrent(where, () => test.for(together)('%s', compare));
if (alone.length > 0) describe(`alone ${where}`, () => test.for(alone)('%s', compare));

async function tell(one: Transcript, release: Release): Promise<Said[]> {
  const namespace = `t-${randomBytes(6).toString('hex').replace(/[0-9]/g, 'x')}`;
  const desk = await sitDown(target.ctx, release, {
    kubeconfig: target.kubeconfig,
    namespace,
    files: one.files,
  });
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  const names = { [namespace]: '$NS', ...Object.fromEntries(target.nodes.map((node) => [node, '<node>'])) };
  try {
    // what every transcript begins and ends with is said by one client, not by programs that each start anew
    await kube.create(target.ctx, object);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name: 'default' };
    await eventually(() => kube.get(target.ctx, account));
    const said: Said[] = [];
    for (const step of one.steps) said.push(await take(desk, step, names));
    return said;
  } finally {
    await kube.delete(target.ctx, { apiVersion: 'v1', kind: 'Namespace', name: namespace });
    await desk.close();
  }
}

async function take(desk: Desk, step: Step, names: Readonly<Record<string, string>>): Promise<Said> {
  const end = Date.now() + (step.until === undefined ? 20_000 : 60_000);
  for (;;) {
    const { code, out, err } = await desk.run(step.run, step.input);
    const told = { code, out: masked(out, names), err: masked(err, names) };
    const said = comparable(step, told);
    const isThere = step.until === undefined || new RegExp(step.until, 'm').test(told.out);
    if ((isThere && (isFinal(step) || isDeepStrictEqual(said, recorded(step)))) || Date.now() > end)
      return said;
  }
}

/** A real cluster's controllers take their time, so whoever only reads there reads again until it says what it said. */
const isFinal = ({ run }: Step): boolean =>
  !target.isReal ||
  records !== undefined ||
  !/^kubectl (get|describe) [^|;&>]*$/.test(run) ||
  / (-w|--watch)/.test(run);

function record(one: Transcript, said: readonly Said[]): void {
  if (!target.isReal)
    throw new Error('transcripts are recorded from a real cluster: set FAIRLEAD_TEST_KUBECONFIG');
  writeFileSync(one.file, withAnswers(one, said));
}

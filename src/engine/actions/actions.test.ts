import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { actionsFor, discoverActions } from './discover.ts';
import { type ActionStep, planAction, readChanges, startAction } from './run.ts';

type Ask = {
  /** The YAML block of resource.customizations.actions. */
  configured?: string;
  /** What the script gave back, as a worker would hand it over. */
  returned?: unknown;
  /** Without it the case is about discovery. */
  run?: string;
  parameters?: Record<string, string>;
};
type Told = { actions?: unknown; steps?: unknown; script?: string; error?: string };

const now = new Date('2026-03-04T05:06:07Z');

test.each(cases<Told>(new URL('./testdata/', import.meta.url)))('$name', ({ input, expect: wanted }) => {
  expect(answer(input[0], input[1] ?? {})).toEqual(wanted);
});

function answer(object: KubeObject, ask: Ask): Told {
  try {
    return ask.run === undefined ? discovered(object, ask) : ran(object, ask.run, ask);
  } catch (thrown) {
    return { error: FairleadError.from(thrown).message };
  }
}

function discovered(object: KubeObject, { configured, returned }: Ask): Told {
  return { actions: actionsFor(discoverActions(object, configured), returned) };
}

function ran(object: KubeObject, name: string, { configured, returned, parameters = {} }: Ask): Told {
  const started = startAction(object, {
    name,
    parameters,
    now,
    ...(configured === undefined ? {} : { configured }),
  });
  if ('changes' in started) return { steps: planAction(object, started.changes).map(brief) };
  expect(started.script.globals).toEqual({ obj: object, actionParams: parameters });
  expect(started.script.openLibs).toBe(false); // H-38
  if (returned === undefined) return { script: started.script.script };
  return { steps: planAction(object, readChanges(object, returned)).map(brief) };
}

/** Patches are told without the object they lead to, which the patch says already. */
const brief = (step: ActionStep): unknown => {
  if (step.do === 'create' || step.do === 'dry-run-create') return JSON.parse(JSON.stringify(step));
  const { object: _, ...rest } = step;
  return rest;
};

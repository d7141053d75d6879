import { afterAll, beforeAll, expect, test } from 'vitest';
import { createScripts } from '#control/scripts';
import { comparedFailures, deployAgent } from './knative-failures/compared.ts';
import { judgedFailures } from './knative-failures/judged.ts';
import { createPlant } from './knative-failures/plant.ts';
import { renderedFailures } from './knative-failures/rendered.ts';
import { trafficFailures } from './knative-failures/traffic.ts';

// Every failure that seeds 000 and 001 tell of, or lead to, twice: visible with the settings, or in the comparison, of a control plane
// that has no knowledge of Knative, and absent with the defaults. One program, on the embedded cluster or on the Knative of
// FAIRLEAD_TEST_KUBECONFIG (npm run test:knative). docs/guide/knative.md lists them.
const scripts = createScripts({ size: 1 });
const plant = createPlant();

beforeAll(async () => {
  await plant.start();
  await deployAgent(plant);
});
afterAll(async () => {
  await scripts.close();
  await plant.stop();
});

test.each([
  ...comparedFailures(plant),
  ...renderedFailures(plant),
  ...trafficFailures(plant),
  ...judgedFailures(plant, scripts),
])('$seed: $tells', async ({ plain, failure, here, instead }) => {
  expect(await plain(), 'with a plain configuration').toEqual(failure);
  expect(await here(), 'with the defaults').toEqual(instead);
});

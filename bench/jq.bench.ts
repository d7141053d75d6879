import { compileJq } from '#lang/jq';
import type { BenchCase } from './harness.ts';
import { bigDeployment } from './object.ts';

/** The deployment cut down to about 4 KB. */
function deployment(): object {
  const object = structuredClone(bigDeployment()) as {
    spec: { template: { spec: { containers: object[] } } };
  };
  object.spec.template.spec.containers.splice(4);
  return object;
}

const object = deployment();
const text = JSON.stringify(object);

/** A JSON round trip is the least that an interpreter outside of this heap would cost. */
const jq = (expression: string): BenchCase => {
  const compiled = compileJq(expression);
  return {
    name: `jq: ${expression} (${(text.length / 1000).toFixed(1)} KB)`,
    baseline: 'JSON round trip',
    run: () => {
      for (const _ of compiled.run(object));
    },
    against: () => void JSON.parse(JSON.stringify(object)),
  };
};

export const cases: BenchCase[] = [
  jq('del(.spec.replicas)'),
  jq('del(.spec.template.spec.containers[].env)'),
  jq('del(.spec.replicas, .metadata.labels.tier)'),
  jq('del(.spec.template.spec.containers[] | select(.name == "c1").image)'),
  jq('del(.. | .image?)'),
];

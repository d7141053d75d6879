import type { KubeObject } from '#base/model';
import type { Check, FieldPath, Flaw } from '../../check.ts';
import { type ContainerPlace, containersOf, kindKey, listAt, objectAt, valueAt } from '../../kinds.ts';

/** The maps of an object whose values Kubernetes reads as texts. */
const mapsOf = (object: KubeObject): FieldPath[] => [
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  ['spec', 'template', 'metadata', 'labels'],
  ['spec', 'template', 'metadata', 'annotations'],
  ...(kindKey(object) === 'ConfigMap' ? [['data']] : []),
  ...(kindKey(object) === 'Secret' ? [['stringData']] : []),
];

const isBare = (value: unknown): value is number | boolean | bigint =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';

export const textNotQuoted: Check = {
  id: 'text-not-quoted',
  title: 'a number or a boolean stands where Kubernetes wants text',
  severity: 'error',
  why: 'the API server refuses the object: labels, annotations, variables and the data of a ConfigMap are texts, and YAML reads 1, 1.10, true or yes as something else.',
  fix: 'put quotes around the value',
  reads: ['*'],
  *find(object) {
    for (const path of mapsOf(object)) {
      for (const [name, value] of Object.entries(objectAt(object, path)))
        if (isBare(value)) yield flaw([...path, name], `${path.at(-1)}.${name}`, value);
    }
    for (const place of containersOf(object)) yield* variables(place);
  },
};

function* variables({ path, container, words }: ContainerPlace): Generator<Flaw> {
  for (const [at, variable] of listAt(container, ['env']).entries()) {
    const value = valueAt(variable, ['value']);
    const name = String(valueAt(variable, ['name']));
    if (isBare(value)) yield flaw([...path, 'env', at, 'value'], `the variable ${name} of ${words}`, value);
  }
}

/** The mend keeps what is written: `1.10` becomes "1.10", though YAML reads 1.1. The caller reads it from the file. */
const flaw = (at: FieldPath, name: string, value: number | boolean | bigint) => ({
  at,
  message: `${name} is ${typeof value === 'boolean' ? 'a boolean' : 'a number'}, and must be text`,
  mend: { path: at, quote: true as const },
});

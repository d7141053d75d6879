import { readFileSync } from 'node:fs';
import { type CrdSchema, findType, type JsonObject, type StructType, typeFromCrd } from '#kubernetes/schema';
import { parse } from '#lang/yaml';
import type { Step } from '../conformance/case.ts';

/** A valid object that mistakes are made in. */
export type Seed = {
  /** The collection it belongs to, as a path. */
  readonly at: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly type: StructType | undefined;
  /** The requests that bring it about, controllers' part included. */
  readonly steps: readonly Step[];
};

type Written = {
  readonly at: string;
  readonly name?: string;
  readonly body: JsonObject;
  readonly settled?: JsonObject;
  readonly definition?: JsonObject;
};

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const established = { status: { conditions: [{ type: 'Established', status: 'True' }] } };

export function readSeeds(): Seed[] {
  const text = readFileSync(new URL('seeds.yaml', import.meta.url), 'utf8');
  return (parse(text, { name: 'seeds.yaml' }) as Written[]).map((written) => {
    const { at, name = 'a', body } = written;
    return { at, name, body, type: typeOf(written), steps: stepsOf(written, name) };
  });
}

function typeOf({ body, definition }: Written): StructType | undefined {
  if (definition) {
    const { spec } = definition as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: CrdSchema } }[] };
    };
    return typeFromCrd(spec.versions[0]?.schema.openAPIV3Schema);
  }
  const { apiVersion, kind } = body as { apiVersion: string; kind: string };
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return findType({ group, version, kind });
}

function stepsOf({ at, body, settled, definition }: Written, name: string): Step[] {
  const first = definition
    ? [
        { request: `POST ${definitions}`, body: definition },
        {
          until: `GET ${definitions}/${(definition.metadata as JsonObject).name}`,
          shows: established,
          answer: { only: ['/spec/group'] },
        },
        // the paths of a new kind are served a moment after it is established
        { until: `GET ${at}`, shows: { kind: `${body.kind}List` }, answer: { only: ['/kind'] } },
      ]
    : [];
  const made = { request: `POST ${at}`, body };
  const seen = settled ? [{ until: `GET ${at}/${name}`, shows: settled }] : [];
  return [...first, made, ...seen];
}

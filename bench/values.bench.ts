import { isDeepStrictEqual } from 'node:util';
import { clone, equal, parseJson, printJson } from '#base/std';
import type { BenchCase } from './harness.ts';
import { bigDeployment } from './object.ts';

const object = bigDeployment();
const twin = structuredClone(object);
const text = JSON.stringify(object);

export const cases: BenchCase[] = [
  {
    name: 'clone a 12 KB object',
    baseline: 'structuredClone',
    run: () => void clone(object),
    against: () => void structuredClone(object),
  },
  {
    name: 'equal on two 12 KB objects',
    baseline: 'isDeepStrictEqual',
    run: () => void equal(object, twin),
    against: () => void isDeepStrictEqual(object, twin),
  },
  {
    name: 'parse and print JSON of 12 KB',
    baseline: 'JSON.parse, JSON.stringify',
    run: () => void printJson(parseJson(text)),
    against: () => void JSON.stringify(JSON.parse(text)),
  },
];

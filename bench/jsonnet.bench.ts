import { evaluate, parseProgram } from '#lang/jsonnet';
import type { BenchCase } from './harness.ts';

const objects = `
  local object(i) = {
    apiVersion: 'v1', kind: 'ConfigMap',
    metadata: { name: 'object-%03d' % i, labels: { app: 'bench', part: $.metadata.name } },
    data: { even: std.toString(i % 2 == 0) },
  };
  [object(i) + { data+: { more: 'yes' } } for i in std.range(1, 200)]`;
const fib = 'local fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2); fib(15)';
const [objectsProgram, fibProgram] = [objects, fib].map((text) => parseProgram('bench.jsonnet', text));

const byHand = (i: number) => {
  const name = `object-${String(i).padStart(3, '0')}`;
  const metadata = { name, labels: { app: 'bench', part: name } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { even: String(i % 2 === 0), more: 'yes' } };
};
const fibByHand = (n: number): number => (n < 2 ? n : fibByHand(n - 1) + fibByHand(n - 2));

const run = (program: typeof objectsProgram): void => {
  if (program) evaluate(program);
};

export const cases: BenchCase[] = [
  {
    name: 'jsonnet: 200 small objects',
    baseline: 'the same in JavaScript, printed and parsed',
    run: () => run(objectsProgram),
    against: () => void JSON.parse(JSON.stringify(Array.from({ length: 200 }, (_, i) => byHand(i + 1)))),
  },
  {
    name: 'jsonnet: fib(15), 1,973 calls',
    baseline: 'the same in JavaScript',
    run: () => run(fibProgram),
    against: () => void fibByHand(15),
  },
  {
    name: 'jsonnet: parse a small program',
    baseline: 'evaluate it',
    run: () => void parseProgram('bench.jsonnet', objects),
    against: () => run(objectsProgram),
  },
];

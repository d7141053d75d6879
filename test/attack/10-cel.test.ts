import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { compileCel, ListValue, listOf, simpleTypes } from '#embedded/cel';
import { talk } from '../talk.ts';

// Attack 10, as far as CEL goes: every step is paid for, and what an expression would cost at worst is known beforehand.

const variables = new Map([
  ['self', listOf(simpleTypes.int)],
  ['text', simpleTypes.string],
]);
const self = new ListValue(Array.from({ length: 5000 }, (_none, index) => BigInt(index)));
const text = 'a'.repeat(1_000_000);
/** What one rule may cost in a cluster. */
const budget = 1_000_000;

const attacks = [
  'self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d >= 0))))',
  'self.map(a, self.map(b, self.map(c, [a, b, c]))).size() > 0',
  'lists.range(1000000000000).size() > 0',
  'lists.range(1000000).map(x, lists.range(1000000)).size() > 0',
  '[1, 2, 3, 4, 5, 6, 7, 8].map(x, text + text + text + text).map(x, x + x + x + x).map(x, x + x + x + x).size() > 0',
  'self.all(x, !text.matches("(a*)*(a*)*b"))',
  'self.all(x, text.replace("a", "bb") != text)',
  'text.replace("a", text) != text',
  'text.split("").join(text) != text',
  'self.all(x, text.split("") != [])',
];

test('every expression gives up, none holds the event loop for long, and memory stays what it was', async () => {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const before = process.memoryUsage().heapUsed;
  for (const expression of attacks) {
    const { isOverLimit } = compileCel(expression, variables).evaluate({ self, text }, budget);
    expect(isOverLimit, expression).toBe(true);
    await new Promise(setImmediate);
  }
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(5_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(500_000_000);
});

test('an expression ends at the cost that it is granted', () => {
  const program = compileCel('self.all(a, a >= 0)', variables);
  expect(program.evaluate({ self, text }, budget).isOverLimit).toBe(false);
  expect(program.evaluate({ self, text }, 100).isOverLimit).toBe(true);
});

test('a definition whose rules could cost too much is refused before it judges anything', async () => {
  const { post } = await talk();
  const list = { type: 'array', items: { type: 'string' } };
  const rule = 'self.all(a, self.all(b, self.all(c, a + b + c != "")))';
  const spec = { type: 'object', properties: { names: { ...list, 'x-kubernetes-validations': [{ rule }] } } };
  const { status, body } = await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  });
  expect(status).toBe(422);
  expect(body.message).toContain('estimated rule cost exceeds budget');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { parse, print } from '#lang/yaml';
import { editTemplate, templateOf } from './index.ts';
import { mergeChange } from './merge-template.ts';

// Laws of compat rollouts RK-14: a change that is made to the value it was computed from has its result, and an edit reads as it.

const word = fc.constantFrom(
  'a',
  'b',
  'on',
  '1',
  'x: y',
  '# no',
  "it's",
  'long text with spaces',
  '',
  'é\n\nz',
  '- 1',
);
const name = fc.constantFrom('A', 'B', 'C', 'D');
const pairs = fc.uniqueArray(fc.record({ name, value: word }), { selector: (one) => one.name, maxLength: 4 });
const container = fc.record(
  {
    image: word,
    args: fc.array(word, { maxLength: 3 }),
    env: pairs,
    resources: fc.dictionary(name, word, { maxKeys: 3 }),
    ports: fc.uniqueArray(fc.record({ containerPort: fc.integer({ min: 1, max: 4 }) }), {
      selector: (one) => one.containerPort,
      maxLength: 3,
    }),
  },
  { requiredKeys: ['image'] },
);
const named = fc.record({ name, image: word, env: pairs }, { requiredKeys: ['name'] });
const template = fc.record(
  {
    metadata: fc.record({ annotations: fc.dictionary(name, word, { maxKeys: 3 }) }, { requiredKeys: [] }),
    spec: fc.record(
      {
        containers: fc.oneof(
          fc.array(container, { minLength: 1, maxLength: 1 }),
          fc.uniqueArray(named, { selector: (one) => one.name, minLength: 1, maxLength: 3 }),
        ),
        timeoutSeconds: fc.integer({ min: 0, max: 9 }),
        nothing: fc.constantFrom(null, {}, [], false),
      },
      { requiredKeys: ['containers'] },
    ),
  },
  { requiredKeys: ['spec'] },
);

test('a change gives its own earlier side the later one, and leaves the later one as it is', () => {
  fc.assert(
    fc.property(template, template, (from, to) => {
      expect(mergeChange(from, { from, to })).toEqual(to);
      expect(mergeChange(to, { from, to })).toEqual(to);
    }),
    { numRuns: 500 },
  );
});

const object = (of: object) => ({ kind: 'Service', spec: { template: of, traffic: [] }, status: 'kept' });
const comment = (text: string): string =>
  text.replace(/^( *)(spec|template|env|metadata):$/gm, '$1# why $2\n$1$2: # here');

const layout = fc.record({
  isCommented: fc.boolean(),
  lists: fc.constantFrom('flush' as const, 'indented' as const),
});

test('a document in block style is edited to what was wanted, and keeps the comments of what stays', () => {
  fc.assert(
    fc.property(template, template, layout, (from, to, { isCommented, lists }) => {
      const text = print(object(from), { lists });
      const before = isCommented ? comment(text) : text;
      const after = editTemplate(before, 0, { from, to });
      expect(parse(after)).toEqual(object(to));
      expect(templateOf(parse(after) as KubeObject)).toEqual(to);
      if (isCommented) expect(after).toContain('# why spec\nspec: # here\n  # why template\n');
    }),
    { numRuns: 500 },
  );
});

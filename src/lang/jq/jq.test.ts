import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeze } from '#base/std';
import { compileJq, type JsonValue } from './index.ts';

const all = (expression: string, input: unknown = null): JsonValue[] => [...compileJq(expression).run(input)];
const coded = (code: string, text = ''): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });

const webhooks = {
  webhooks: [
    { name: 'a', clientConfig: { caBundle: 'x', service: { name: 's' } } },
    { name: 'b', clientConfig: { url: 'u' } },
  ],
};

describe('rules for ignored differences', () => {
  test('D-12: del() of an expression yields exactly one object without what it selects', () => {
    expect(all('del(.webhooks[].clientConfig.caBundle)', webhooks)).toEqual([
      {
        webhooks: [
          { name: 'a', clientConfig: { service: { name: 's' } } },
          { name: 'b', clientConfig: { url: 'u' } },
        ],
      },
    ]);
    expect(all('del(.webhooks[] | select(.name == "b"))', webhooks)).toEqual([
      { webhooks: [webhooks.webhooks[0]] },
    ]);
  });

  test('D-12, vector 23: an expression that does not parse or compile is InvalidSpec, before any object is seen', () => {
    expect(() => compileJq('del(.spec.[)')).toThrow(coded('InvalidSpec', 'at character 12 (")")'));
    expect(() => compileJq('del(foo)')).toThrow(
      coded('InvalidSpec', 'at character 5 ("foo)"): function foo/0 is not known'),
    );
    expect(() => compileJq('del($x)')).toThrow(coded('InvalidSpec', 'variable $x is not defined'));
    expect(() => compileJq('1 | break $x')).toThrow(coded('InvalidSpec', 'label $x is not defined'));
    expect(() => compileJq('.a.')).toThrow(coded('InvalidSpec', 'invalid jq expression at its end'));
  });

  test('D-12, X-11, vector 23: what fails on one object is RenderFailed: the caller skips the rule for that object', () => {
    expect(() => all('del(.webhooks[].clientConfig.caBundle)', { kind: 'Deployment' })).toThrow(
      coded('RenderFailed', 'jq: cannot iterate over null'),
    );
    expect(all('del(.webhooks[].clientConfig.caBundle)', { webhooks: [] })).toEqual([{ webhooks: [] }]);
    expect(all('del(.webhooks[]?.clientConfig.caBundle)', { kind: 'Deployment' })).toEqual([
      { kind: 'Deployment' },
    ]);
  });

  test('X-11: the global rules users have', () => {
    const set = {
      spec: { volumeClaimTemplates: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: {} }] },
    };
    expect(all('del(.spec.volumeClaimTemplates[].apiVersion)', set)).toEqual([
      { spec: { volumeClaimTemplates: [{ kind: 'PersistentVolumeClaim', spec: {} }] } },
    ]);
    expect(all('del(.spec.volumeClaimTemplates[].kind)', set)).toEqual([
      { spec: { volumeClaimTemplates: [{ apiVersion: 'v1', spec: {} }] } },
    ]);
  });

  test('D-13: each side is deleted from on its own, so positions are those of that side', () => {
    const rule = compileJq('del(.list[0])');
    expect([...rule.run({ list: ['a', 'b'] })]).toEqual([{ list: ['b'] }]);
    expect([...rule.run({ list: ['b'] })]).toEqual([{ list: [] }]);
  });

  test('D-12: nan and infinities are no result, for the peer cannot write them as JSON', () => {
    expect(() => all('nan')).toThrow(coded('RenderFailed'));
    expect(() => all('{a: [infinite]}')).toThrow(coded('RenderFailed'));
  });
});

describe('values', () => {
  test('integers keep every digit', () => {
    expect(all('.a, .a + 1, .a * 10, -.a', { a: 9007199254740993n })).toEqual([
      9007199254740993n,
      9007199254740994n,
      90071992547409930n,
      -9007199254740993n,
    ]);
    expect(all('9007199254740991 + 2 - 2')).toEqual([9007199254740991]);
    expect(all('del(.b)', { a: 18446744073709551615n, b: 1 })).toEqual([{ a: 18446744073709551615n }]);
  });

  test('a key is never more than a key', () => {
    const input = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    expect(all('keys', input)).toEqual([['__proto__', 'a']]);
    expect(all('del(.__proto__)', input)).toEqual([{ a: 1 }]);
    expect(all('.constructor, .toString', {})).toEqual([null, null]);
    for (const result of all(
      '.["__proto__"].x = 1, {"__proto__": 2}, ({} | .["__proto__"] |= 3), del(.a)',
      input,
    )) {
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      expect(Object.hasOwn(result as object, '__proto__')).toBe(true);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('the input is not changed, and what did not change is the very same object', () => {
    const input = freeze({ a: { b: 1, c: { d: [1] } }, e: { f: [{ g: 1 }, { h: 2 }] } });
    for (const expression of ['del(.a.b)', 'del(.a.b, .a.x)', '.a.b = 2', '.a.b |= . + 1']) {
      const [result] = all(expression, input) as [typeof input];
      expect(result.a.c).toBe(input.a.c);
      expect(result.e).toBe(input.e);
    }
    const [result] = all('del(.e.f[0].g)', input) as [typeof input];
    expect(result.a).toBe(input.a);
    expect(result.e.f[1]).toBe(input.e.f[1]);
    expect(all('del(.nope.deeper)', input)[0]).toBe(input);
    expect(all('del(.nope, .a.nope)', input)[0]).toBe(input);
  });

  test('results come one by one as they are asked for', () => {
    const results = compileJq('1, 2, error("never reached")').run(null);
    expect(results.next().value).toBe(1);
    expect(results.next().value).toBe(2);
    expect(() => results.next()).toThrow(coded('RenderFailed'));
    const endless = compileJq('repeat(1)').run(null);
    expect([endless.next().value, endless.next().value]).toEqual([1, 1]);
  });
});

describe('the short way for plain deletions', () => {
  const leaf = fc.constantFrom<JsonValue>(null, 0, 'x', true);
  const tree = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  const step = fc.constantFrom('.a', '.b', '[]', '["__proto__"]');

  test('gives what the long way gives', () => {
    fc.assert(
      fc.property(tree, fc.array(step, { minLength: 1, maxLength: 4 }), (input, steps) => {
        const path = steps.join('').startsWith('[') ? `.${steps.join('')}` : steps.join('');
        const attempt = (expression: string) => {
          try {
            return JSON.stringify(all(expression, freeze(structuredClone(input))));
          } catch (error) {
            return String(error);
          }
        };
        expect(attempt(`del(${path})`)).toBe(attempt(`. | del(${path})`));
      }),
      { numRuns: 500 },
    );
  });
});

describe('errors', () => {
  test('never quote the data they are about', () => {
    const secret = { data: { password: 'hunter2' } };
    for (const expression of [
      '.data.password.x',
      'error(.data.password)',
      '.data.password | tonumber',
      '.data | .[0]',
    ]) {
      expect(() => all(expression, secret)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
      );
    }
  });

  test('what an expression raises it can catch, and nothing catches halt', () => {
    expect(all('try error({a: 1}) catch .a')).toEqual([1]);
    expect(all('try (null | .[true]) catch "caught"')).toEqual(['caught']);
    expect(() => all('try halt catch 1')).toThrow(coded('RenderFailed', 'stopped itself'));
    expect(() => all('halt_error')).toThrow(coded('RenderFailed'));
    expect(() => all('1 | halt_error(2)')).toThrow(coded('RenderFailed'));
  });

  test('a broken regular expression is an error that can be caught, one that is too long is not', () => {
    expect(all('try ("a" | test("(")) catch "caught"')).toEqual(['caught']);
    expect(() => all('try ("a" | test("a" * 20000)) catch "caught"')).toThrow(coded('LimitExceeded'));
  });
});

describe('nothing outside the input is seen', () => {
  test.each([
    'input',
    'inputs',
    'debug',
    'stderr',
    'input_filename',
    'import "a" as a; .',
    'include "a"; .',
    '$__loc__',
  ])('%s is refused', (expression) => {
    expect(() => compileJq(expression)).toThrow(coded('InvalidSpec'));
  });

  test.each(['now', '"m" | modulemeta', '1 | gamma', 'jn(1; 2)'])(
    '%s fails where it is used',
    (expression) => {
      expect(() => all(expression)).toThrow(coded('RenderFailed', 'is not available'));
    },
  );

  test('the environment is empty and local time is UTC', () => {
    expect(all('env, $ENV')).toEqual([{}, {}]);
    expect(all('0 | localtime == gmtime, strflocaltime("%H %Z")')).toEqual([true, '00 UTC']);
  });
});

describe('where we differ from gojq on purpose', () => {
  test('deleting inside null leaves null; gojq makes an empty object of it, which Argo CD writes as null again', () => {
    expect(all('del(.a.b, .a[0])', { a: null })).toEqual([{ a: null }]);
  });

  test('`?//` does not swallow a break', () => {
    expect(all('[first(. as [$a] ?// $a | $a)]', [1])).toEqual([[1]]);
  });

  test('variables of a pattern that was not used are null, not what they were the last time', () => {
    expect(all('[.[] as [$a] ?// {k: $b} | [$a, $b]]', [{ k: 1 }, [2]])).toEqual([
      [
        [null, 1],
        [2, null],
      ],
    ]);
  });

  test('a slice that grows does not overwrite what follows it', () => {
    expect(all('(.[-1], .[:1])[1] = 1', [{}, []])).toEqual([[{}, 1, [null, 1]]]);
  });

  test('there is no negative zero', () => {
    expect(all('[-0.0, (-0.4 | round), (0 * -1)] | tojson')).toEqual(['[0,0,0]']);
  });
});

test('the same text is compiled once', () => {
  expect(compileJq('.once')).toBe(compileJq('.once'));
});

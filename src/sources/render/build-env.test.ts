import { describe, expect, test } from 'vitest';
import { buildEnv, expandEnv } from './build-env.ts';

const env = { A: 'one', LONG_NAME1: 'two' };

describe('variables are replaced as Go does it (ENV-1)', () => {
  test.each([
    ['plain', 'plain'],
    ['$A', 'one'],
    [`\${A}x`, 'onex'],
    ['$LONG_NAME1-x', 'two-x'],
    ['$UNKNOWN!', '!'],
    ['$$A', '$A'],
    ['$1x', 'x'],
    ['$*x', 'x'],
    ['end$', 'end$'],
    ['a$ b', 'a$ b'],
    ['a$.b', 'a$.b'],
    [`\${}x`, 'x'],
    [`\${open`, 'open'],
    [`\${*}x`, 'x'],
    [`\${A b}`, ''],
    ['$é', '$é'],
  ])('%s becomes "%s"', (text, expected) => {
    expect(expandEnv(text, env)).toBe(expected);
  });

  test('names that stand for nothing are told', () => {
    const unknown = new Set<string>();
    expandEnv(`$A $B \${C} $constructor`, env, unknown);
    expect([...unknown]).toEqual(['B', 'C', 'constructor']);
  });
});

test('the build environment of a source, which is the same for whoever asks (1.13, ENV-4)', () => {
  const facts = { app: 'ns_web', destinationNamespace: 'prod', project: 'p', revision: 'abcdef0123456789' };
  expect(buildEnv({ ...facts, source: { repoURL: 'https://h/r', path: 'x' } })).toEqual({
    ARGOCD_APP_NAME: 'ns_web',
    ARGOCD_APP_NAMESPACE: 'prod',
    ARGOCD_APP_PROJECT_NAME: 'p',
    ARGOCD_APP_REVISION: 'abcdef0123456789',
    ARGOCD_APP_REVISION_SHORT: 'abcdef0',
    ARGOCD_APP_REVISION_SHORT_8: 'abcdef01',
    ARGOCD_APP_SOURCE_REPO_URL: 'https://h/r',
    ARGOCD_APP_SOURCE_PATH: 'x',
    ARGOCD_APP_SOURCE_TARGET_REVISION: '',
  });
});

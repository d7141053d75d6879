import { expect, test } from 'vitest';
import { shownSetting } from './shown-setting.ts';

test.each([
  ['timeout.reconciliation', '180s', '180s'],
  ['passwordPattern', '^.{12,}$', '^.{12,}$'],
  ['applicationsetcontroller.enable.tokenref.strict.mode', 'true', 'true'],
  ['accounts.ci', 'apiKey', 'apiKey'],
  ['resource.exclusions', '- kinds: [Event]\n', '- kinds: [Event]'],
])('%s is shown as it is', (key, value, shown) => {
  expect(shownSetting(key, value)).toBe(shown);
});

test.each([
  [
    'oidc.config',
    'name: x\nclientSecret: canary\nissuer: https://x',
    'name: x\nclientSecret: ++++++++\nissuer: https://x',
  ],
  ['oidc.config', 'clientSecret: |\n  canary\nname: x', 'clientSecret: ++++++++\nname: x'],
  ['oidc.config', '{ name: x, clientSecret: canary }', '++++++++'],
  ['oidc.config', 'a:\n  - { name: x,\n  b: 1, clientSecret: canary }', '++++++++'],
  ['oidc.config', '"client\\u0053ecret": canary', '++++++++'],
  ['oidc.config', '? clientSecret\n: canary', '++++++++'],
  ['oidc.config', 'name: &one canary\nclientSecret: *one', '++++++++'],
  ['webhook.github.secret', 'canary', '++++++++'],
  ['extension.config.metrics', 'headers: [{ name: Authorization, value: canary }]', '++++++++'],
  ['fairlead.audit.sink', 'https://me:canary@logs.example.com/x', 'https://me:++++++++@logs.example.com/x'],
  ['fairlead.audit.sink', 'https://canary@logs.example.com/x', 'https://++++++++@logs.example.com/x'],
])('of %s the secrets are hidden: %j', (key, value, shown) => {
  expect(shownSetting(key, value)).toBe(shown);
});

test('a reference to a key of a Secret is no secret', () => {
  expect(shownSetting('oidc.config', 'clientSecret: $oidc:secret')).toBe('clientSecret: $oidc:secret');
});

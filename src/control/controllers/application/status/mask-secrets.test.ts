import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Ctx, FairleadError, type LogFields, type Logger, realClock } from '#base/std';
import { maskMessages, maskOf, withoutSecrets } from './mask-secrets.ts';

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd' },
  spec: {
    source: {
      repoURL: 'https://joe:marker-url@git.example/a',
      helm: { parameters: [{ name: 'token', value: 'marker-parameter' }] },
    },
    destination: {},
  },
};

/** Keeps each line as it would be printed. */
function keptLog(lines: string[], more: LogFields = {}): Logger {
  const write = (message: string, fields: LogFields = {}) => {
    const all = Object.entries({ ...more, ...fields });
    const texts = all.map(([name, value]) => `${name}=${value instanceof Error ? value.message : value}`);
    lines.push([message, ...texts].join(' '));
  };
  const log = { debug: write, info: write, warn: write, error: write };
  return { ...log, with: (fields) => keptLog(lines, { ...more, ...fields }) };
}

test('attack 24: what a pass logs and throws holds no secret of its application', async () => {
  const lines: string[] = [];
  const ctx: Ctx = { signal: new AbortController().signal, clock: realClock, log: keptLog(lines) };
  const error = new FairleadError('Unavailable', 'cannot read https://joe:marker-url@git.example/a');
  const failing = withoutSecrets(ctx, app, async (inner) => {
    inner.log.info('rendered', { with: 'token=marker-parameter', ms: 3 });
    inner.log.with({ repository: 'https://joe:marker-url@git.example/a' }).warn('failed', { error });
    throw error;
  });
  const thrown = await failing.catch((one: unknown) => one);
  expect(lines).toEqual([
    'rendered with=token=++++++++ ms=3',
    'failed repository=https://joe:++++++++@git.example/a error=cannot read https://joe:++++++++@git.example/a',
  ]);
  expect(thrown).toMatchObject({
    code: 'Unavailable',
    message: 'cannot read https://joe:++++++++@git.example/a',
  });
  expect((thrown as FairleadError).cause).toBeUndefined();
});

test('an error without a secret stays the same object: callers ask it for more than its message', async () => {
  const ctx: Ctx = { signal: new AbortController().signal, clock: realClock, log: keptLog([]) };
  const error = new Error('plain');
  await expect(withoutSecrets(ctx, app, () => Promise.reject(error))).rejects.toBe(error);
});

test('of a result only the message is masked: a name is found by its text', () => {
  const rows = [{ name: 'marker-parameter', message: 'marker-parameter refused' }, { name: 'b' }];
  expect(maskMessages(maskOf(app), rows)).toEqual([
    { name: 'marker-parameter', message: '++++++++ refused' },
    { name: 'b' },
  ]);
});

import { expect, test } from 'vitest';
import { FairleadError } from '#base/std';
import { createLogger, type LogFormat } from './logger.ts';

function logged(format: LogFormat, level = 'info') {
  const lines: string[] = [];
  return { lines, log: createLogger({ write: (line) => lines.push(line) }, { format, level }) };
}

test('a line is one JSON object with level, time, message and fields', () => {
  const { lines, log } = logged('json');
  log.with({ app: 'guestbook' }).info('synced', { ms: 12 });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    app: 'guestbook',
    ms: 12,
    msg: 'synced',
  });
});

test('a person reads time, level, message and words', () => {
  const { lines, log } = logged('pretty');
  log.warn('reconcile failed', { app: 'guestbook', error: new FairleadError('NotFound', 'no path apps/x') });
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d warn {2}reconcile failed app=guestbook error="NotFound: no path apps\/x"\n$/,
  );
});

test('an error never brings its stack, and a quiet level stays quiet', () => {
  const { lines, log } = logged('json');
  log.debug('detail');
  log.error('broken', { error: new Error('boom') });
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('logger.test');
});

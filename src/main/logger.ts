import pino from 'pino';
import { FairleadError, type LogFields, type Logger } from '#base/std';

export type LogFormat = 'json' | 'pretty';
type Sink = { write(line: string): void };
type Line = Record<string, unknown> & { level: string; msg: string; time: string };

/** The program's log: one JSON object per line, or one readable line each for a terminal. */
export function createLogger(sink: Sink, options: { format: LogFormat; level: string }): Logger {
  const destination =
    options.format === 'json' ? sink : { write: (line: string) => sink.write(pretty(line)) };
  return wrap(
    pino(
      {
        level: options.level,
        base: null,
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (level) => ({ level }) },
      },
      destination,
    ),
  );
}

function wrap(log: pino.Logger): Logger {
  return {
    debug: (message, fields) => log.debug(plain(fields), message),
    info: (message, fields) => log.info(plain(fields), message),
    warn: (message, fields) => log.warn(plain(fields), message),
    error: (message, fields) => log.error(plain(fields), message),
    with: (fields) => wrap(log.child(plain(fields))),
  };
}

/** An error becomes its code and message: a stack is for a debugger, and may name paths of the host. */
function plain(fields: LogFields = {}): Record<string, unknown> {
  const next: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof FairleadError) next[name] = `${value.code}: ${value.message}`;
    else next[name] = value instanceof Error ? value.message : value;
  }
  return next;
}

function pretty(json: string): string {
  const { level, msg, time, ...fields } = JSON.parse(json) as Line;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${word(value)}`);
  return `${[time.slice(11, 19), level.padEnd(5), msg, ...rest].join(' ')}\n`;
}

function word(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"]+$/.test(text) ? text : JSON.stringify(text);
}

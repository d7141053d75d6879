import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '#base/std';
import { type AuditEvent, auditEventOf } from './audit-events.ts';
import type { AuditRecord, AuditSink } from './rest/audit.ts';

export type AuditSinkDeps = {
  /** `fairlead.audit.sink`; empty: the log alone. */
  sink(): '' | 'file' | 'stdout';
  /** Where `file` writes, a file a day, readable by this user only. */
  readonly dir: string;
  print(line: string): void;
  /** Writes an Event; left out: there are none. Must not throw. */
  raise?(ctx: Ctx, about: AuditEvent['about'], event: AuditEvent['event']): Promise<void>;
  /** Of the control plane's own objects. */
  readonly namespace: string;
};

/**
 * Every record is a line of the log; a sink gets it as JSON as well, in the order of the records. A change of what has no
 * Events of its own is an Event.
 */
export function openAuditSink({ sink, dir, print, raise, namespace }: AuditSinkDeps): AuditSink {
  let last: Promise<unknown> = Promise.resolve();
  const append = (record: AuditRecord): Promise<unknown> => {
    const file = join(dir, `${record.time.slice(0, 10)}.jsonl`);
    const line = `${JSON.stringify(record)}\n`;
    last = last
      .catch(() => {})
      .then(async () => {
        await mkdir(dir, { recursive: true, mode: 0o700 });
        await appendFile(file, line, { mode: 0o600 });
      });
    return last;
  };
  return async (ctx: Ctx, record) => {
    if (record.stage === 'ResponseComplete') ctx.log.info('api request', { ...record });
    const found = auditEventOf(record, namespace);
    if (found) await raise?.(ctx, found.about, found.event);
    if (sink() === 'stdout') print(JSON.stringify(record));
    if (sink() !== 'file') return;
    await append(record).catch((error: unknown) =>
      ctx.log.error('an audit record could not be written', { dir, id: record.id, error }),
    );
  };
}

import { type Application, type ApplicationSet, type KubeObject, maskerOf } from '#base/model';
import { type Ctx, FairleadError, type LogFields, type Logger } from '#base/std';

/** Hides the secrets of one Application in values about it. */
export type Mask = <T>(value: T) => T;

/**
 * Masks secrets in the sources of an Application and of its operation, or in the template of a set. For texts only: a masked spec, operation or history
 * would be applied with the mask in place of the secret. The sources are read when the first text is masked.
 */
export function maskOf(object: KubeObject): Mask {
  const { spec, operation, status } = object as Partial<Application>;
  let mask: Mask | undefined;
  return (value) => {
    mask ??= maskerOf(spec, operation, status?.operationState?.operation);
    return mask(value);
  };
}

/** The items with their messages masked; the other fields are names that identify the items. */
export function maskMessages<Item extends { readonly message?: string | undefined }>(
  mask: Mask,
  items: readonly Item[],
): Item[] {
  return items.map((item) => {
    const message = mask(item.message);
    return message === item.message ? item : { ...item, message };
  });
}

/**
 * Runs the work of a pass; its log lines, and the error it throws, which the worker logs, contain no secret of the
 * Application.
 */
export async function withoutSecrets<Result>(
  ctx: Ctx,
  app: Application | ApplicationSet,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const mask = maskOf(app);
  try {
    return await work({ ...ctx, log: maskedLog(ctx.log, mask) });
  } catch (thrown) {
    throw ctx.signal.aborted ? thrown : maskedError(thrown, mask);
  }
}

/** Drops the cause if something was masked: the cause contains the same text unmasked. */
function maskedError(thrown: unknown, mask: Mask): unknown {
  const { code, message } = FairleadError.from(thrown);
  const shown = mask(message);
  return shown === message ? thrown : new FairleadError(code, shown);
}

function maskedLog(log: Logger, mask: Mask): Logger {
  const shown = (fields: LogFields = {}): LogFields =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value instanceof Error ? maskedError(value, mask) : mask(value),
      ]),
    );
  return {
    debug: (message, fields) => log.debug(message, shown(fields)),
    info: (message, fields) => log.info(message, shown(fields)),
    warn: (message, fields) => log.warn(message, shown(fields)),
    error: (message, fields) => log.error(message, shown(fields)),
    with: (fields) => maskedLog(log.with(shown(fields)), mask),
  };
}

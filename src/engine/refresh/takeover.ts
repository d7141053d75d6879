import { type Application, parseTime } from '#base/model';

export type TakeoverOptions = {
  readonly controllerNamespace: string;
  readonly now: Date;
  readonly intervalMs: number;
  /** The user confirmed that the other controller is gone. */
  readonly takeOver?: boolean;
};

/** dev engine X-61: why this Application is left alone, because another controller still writes it; undefined: it is ours. */
export function heldElsewhere(
  { metadata, status }: Application,
  options: TakeoverOptions,
): string | undefined {
  const { controllerNamespace: owner, reconciledAt } = status ?? {};
  if (options.takeOver || !owner || owner === options.controllerNamespace) return undefined;
  const seen = parseTime(reconciledAt);
  if (seen === undefined || options.now.getTime() - seen > 2 * options.intervalMs) return undefined;
  return (
    `application ${metadata.name} was reconciled at ${reconciledAt} by the controller in namespace ${owner}; ` +
    'stop that one, or start with --take-over'
  );
}

export type LogFields = Readonly<Record<string, unknown>>;

/** The log for operators. Messages are constant; variable parts are fields. */
export type Logger = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with these fields on every line. */
  with(fields: LogFields): Logger;
};

export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silent,
};

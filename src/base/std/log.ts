export type Fields = Readonly<Record<string, unknown>>;

/** Where words for operators go. Messages are constant; what varies goes into the fields. */
export type Logger = {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same log with these fields on every line. */
  with(fields: Fields): Logger;
};

export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silent,
};

/**
 * How a route is called, and the status that each actor gets, in the order of `actors`. Marks such as `{REPO}` stand for what the
 * started program has (`ground.ts`).
 */
export type Row = {
  readonly path: string;
  readonly body?: unknown;
  readonly outcome: string;
  /** Called without a token by everybody: it would end the caller's session. */
  readonly withoutToken?: true;
  /** The application that must have no operation in progress before each request. */
  readonly whenIdle?: string;
};
export type RowTable = Readonly<Record<string, Row>>;

export const everybody = '200 200 200 200 200';
export const signedIn = '401 200 200 200 200';
export const readers = '401 200 200 403 200';
export const readersOnly = '401 200 403 403 200';
export const syncers = '401 403 200 403 200';
export const adminOnly = '401 403 403 403 200';

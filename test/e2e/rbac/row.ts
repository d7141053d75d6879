/** How a route is called, and what each actor gets, in the order of `actors`: a refusal, or `ok` for anything that passed. */
export type Row = {
  readonly path: string;
  readonly body?: unknown;
  readonly outcome: string;
  /** Called without a token by everybody: it would end the caller's session. */
  readonly withoutToken?: true;
};
export type RowTable = Readonly<Record<string, Row>>;

export const everybody = 'ok ok ok ok ok';
export const signedIn = '401 ok ok ok ok';
export const readers = '401 ok ok 403 ok';
export const readersOnly = '401 ok 403 403 ok';
export const syncers = '401 403 ok 403 ok';
export const adminOnly = '401 403 403 403 ok';

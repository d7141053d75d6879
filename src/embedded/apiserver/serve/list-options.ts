import type { ServedResource } from '../kinds.ts';
import { flag } from '../path.ts';
import { matchOf, type ObjectFilter, readSelectors } from '../select.ts';
import { badRequest, expired, type FieldError, invalid, plainFailure, StatusError } from '../status.ts';
import { unsignedProblem } from '../unsigned.ts';
import { syntaxError } from '../write/go-json.ts';

/** The validated options of a list or a watch. */
export type ServedListOptions = {
  readonly match: ObjectFilter | undefined;
  readonly limit: number;
  readonly continue: ContinueToken | undefined;
  /** '' when none was given. */
  readonly resourceVersion: string;
  readonly exact: boolean;
  readonly watch: boolean;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
};

/** `rv` -1: continue from here with the current state (an inconsistent continue). */
export type ContinueToken = { readonly rv: number; readonly start: string };

/** Throws BadRequest or Invalid for options that Kubernetes refuses, too. */
export function parseListOptions(query: URLSearchParams, resource: ServedResource): ServedListOptions {
  const text = (name: string) => query.get(name) ?? '';
  const watch = flag(query, 'watch');
  // compat cluster 3.4: all options are parsed, numbers first, before any is validated
  const [limit = 0, timeoutSeconds] = [whole(query, 'limit'), whole(query, 'timeoutSeconds')];
  const selectors = readSelectors({
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
  });
  const errors = watch ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  if (text('continue') !== '' && !/^0?$/.test(text('resourceVersion'))) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return {
    match: matchOf(resource, selectors),
    // compat cluster 3.4: a list from the watch cache of a real server is never paged
    limit: text('resourceVersion') === '0' ? 0 : limit,
    continue: text('continue') === '' ? undefined : parseContinue(text('continue')),
    resourceVersion: checkedVersion(text('resourceVersion'), watch),
    exact: text('resourceVersionMatch') === 'Exact',
    watch,
    bookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: query.has('sendInitialEvents') ? flag(query, 'sendInitialEvents') : undefined,
    timeoutSeconds,
  };
}

const field = 'resourceVersionMatch';
const no = (detail: string, of = field): FieldError => ({ type: 'Forbidden', field: of, detail });

const unsupported = (value: string, values: string): FieldError => ({
  type: 'Unsupported value',
  field,
  value,
  detail: `supported values: ${values}`,
});

function watchErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(field) ?? '';
  const initial = query.has('sendInitialEvents');
  if (initial && match !== 'NotOlderThan') {
    const wrong = no('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
    return match === '' ? [wrong] : [wrong, unsupported(match, '"NotOlderThan"')];
  }
  if (match !== '' && !initial) {
    return [no('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')];
  }
  return [];
}

function listErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(field) ?? '';
  const version = query.get('resourceVersion') ?? '';
  const initial = query.has('sendInitialEvents')
    ? [no('sendInitialEvents is forbidden for list', 'sendInitialEvents')]
    : [];
  if (match === '') return initial;
  const errors: FieldError[] = [];
  if (version === '') errors.push(no('resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if ((query.get('continue') ?? '') !== '') {
    errors.push(no('resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(unsupported(match, '"Exact", "NotOlderThan", ""'));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(no('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return [...errors, ...initial];
}

function whole(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^-?\d+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  const exact = BigInt(value);
  if (BigInt.asIntN(64, exact) !== exact)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  return Number(value);
}

/** compat cluster 3.3: for lists it is a bad request; for watches and reads an internal error. */
export function checkedVersion(version: string, isOwnError: boolean): string {
  const problem = version === '' ? undefined : unsignedProblem(version);
  if (problem === undefined) return version;
  const why = `resourceVersion: Invalid value: ${JSON.stringify(version)}: ${problem}`;
  throw isOwnError ? plainFailure(why) : badRequest(`invalid resource version: ${why}`);
}

const version = 'meta.k8s.io/v1';

export const printContinue = ({ rv, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: version, rv, start })).toString('base64url');

/** The position at which Go stops decoding URL-safe base64 without padding; undefined when it does not. */
function brokenBase64(text: string): number | undefined {
  const at = text.search(/[^\w\-\r\n]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}

/** A key that contains no path traversal. */
const isClean = (key: string): boolean =>
  key !== '' && !key.split('/').some((part, at) => (part === '' && at > 0) || part === '.' || part === '..');

function parseContinue(text: string): ContinueToken {
  const broken = brokenBase64(text);
  if (broken !== undefined) {
    throw badRequest(
      `invalid continue token: continue key is not valid: illegal base64 data at input byte ${broken}`,
    );
  }
  const plain = Buffer.from(text, 'base64url').toString('utf8');
  let reported = '';
  try {
    const { v, rv, start } = JSON.parse(plain);
    reported = String(v ?? '');
    if (v === version && typeof rv === 'number' && typeof start === 'string') {
      if (isClean(start)) return { rv, start };
      throw badRequest(`invalid continue token: continue key is not valid: ${start}`);
    }
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = syntaxError(plain) ?? 'unexpected end of JSON input';
    throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
  }
  throw badRequest(
    `invalid continue token: continue key is not valid: server does not recognize this encoded version ${reported}`,
  );
}

/**
 * compat cluster 3.4: the state of that page is no longer in the history; the token in the error continues without
 * consistency.
 */
export const continueExpired = (start: string): ReturnType<typeof expired> =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    printContinue({ rv: -1, start }),
  );

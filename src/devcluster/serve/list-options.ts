import type { Resource } from '../kinds.ts';
import { flag } from '../path.ts';
import { type Match, parseSelectors } from '../select.ts';
import { badRequest, expired, type FieldError, invalid } from '../status.ts';

/** What a list or a watch was asked for, checked. */
export type ListOptions = {
  readonly match: Match | undefined;
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

/** `rv` -1: go on from here with whatever is there now (an inconsistent continue). */
export type ContinueToken = { readonly rv: number; readonly start: string };

/** Throws BadRequest or Invalid for what Kubernetes would not accept either. */
export function parseListOptions(query: URLSearchParams, resource: Resource): ListOptions {
  const text = (name: string) => query.get(name) ?? '';
  const watch = flag(query, 'watch');
  const errors = watch ? watchErrors(query) : listErrors(query);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return {
    match: parseSelectors(resource, {
      labelSelector: text('labelSelector'),
      fieldSelector: text('fieldSelector'),
    }),
    limit: whole(query, 'limit') ?? 0,
    continue: text('continue') === '' ? undefined : parseContinue(text('continue')),
    resourceVersion: checkedVersion(text('resourceVersion')),
    exact: text('resourceVersionMatch') === 'Exact',
    watch,
    bookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: query.has('sendInitialEvents') ? flag(query, 'sendInitialEvents') : undefined,
    timeoutSeconds: whole(query, 'timeoutSeconds'),
  };
}

const field = 'resourceVersionMatch';
const no = (detail: string, of = field): FieldError => ({ type: 'Forbidden', field: of, detail });

function watchErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(field) ?? '';
  const initial = query.has('sendInitialEvents');
  if (initial && match !== 'NotOlderThan') {
    return [no('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')];
  }
  if (match !== '' && !initial) {
    return [no('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')];
  }
  return [];
}

function listErrors(query: URLSearchParams): FieldError[] {
  const match = query.get(field) ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (query.has('sendInitialEvents')) {
    return [no('sendInitialEvents is forbidden for list', 'sendInitialEvents')];
  }
  if (match === '') return [];
  const errors: FieldError[] = [];
  if (version === '') errors.push(no('resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if ((query.get('continue') ?? '') !== '') {
    errors.push(no('resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    const detail = 'supported values: "Exact", "NotOlderThan"';
    errors.push({ type: 'Unsupported value', field, value: match, detail });
  }
  if (match === 'Exact' && version === '0') {
    errors.push(no('resourceVersionMatch "Exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

function whole(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^-?\d+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  return Number(value);
}

function checkedVersion(version: string): string {
  if (version === '' || /^\d+$/.test(version)) return version;
  throw invalid({ group: '', kind: 'ListOptions' }, '', [
    { type: 'Invalid value', field: 'resourceVersion', value: version, detail: 'invalid resource version' },
  ]);
}

const version = 'meta.k8s.io/v1';

export const printContinue = ({ rv, start }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: version, rv, start })).toString('base64url');

function parseContinue(text: string): ContinueToken {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (v === version && typeof rv === 'number' && typeof start === 'string') return { rv, start };
  } catch {
    // falls through to the one answer for every unreadable token
  }
  throw badRequest('continue key is not valid');
}

/** compat 3.4: the state of that page is forgotten; the token offered goes on without consistency. */
export const continueExpired = (start: string): ReturnType<typeof expired> =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    printContinue({ rv: -1, start }),
  );

import type { JsonObject } from '#kubernetes/schema';

/** Query parameters by purpose. A name alone is a string; `:i` an integer, `:b` a boolean. */
const sets = {
  list: 'allowWatchBookmarks:b continue fieldSelector labelSelector limit:i resourceVersion resourceVersionMatch sendInitialEvents:b shardSelector timeoutSeconds:i watch:b',
  write: 'dryRun fieldManager fieldValidation',
  patch: 'dryRun fieldManager fieldValidation force:b',
  delete:
    'dryRun gracePeriodSeconds:i ignoreStoreReadErrorWithClusterBreakingPotential:b orphanDependents:b propagationPolicy',
  deletecollection:
    'continue dryRun fieldSelector gracePeriodSeconds:i ignoreStoreReadErrorWithClusterBreakingPotential:b labelSelector limit:i orphanDependents:b propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents:b shardSelector timeoutSeconds:i',
  read: 'resourceVersion',
  log: 'container follow:b insecureSkipTLSVerifyBackend:b limitBytes:i previous:b sinceSeconds:i stream tailLines:i timestamps:b',
  attach: 'container stderr:b stdin:b stdout:b tty:b',
  exec: 'command container stderr:b stdin:b stdout:b tty:b',
  none: '',
} as const;

export type ParameterSet = keyof typeof sets;

export type Parameter = { readonly name: string } & JsonObject;

const typeNames: Readonly<Record<string, string>> = { i: 'integer', b: 'boolean' };

function readSet(text: string): Parameter[] {
  return text
    .split(' ')
    .filter((token) => token !== '')
    .map((token) => {
      const [name = '', letter = ''] = token.split(':', 2);
      return { name, in: 'query', schema: { type: typeNames[letter] ?? 'string', uniqueItems: true } };
    });
}

const known = new Map<ParameterSet, readonly Parameter[]>();

/** The parameters of a set, the same objects every time. */
export function parametersOf(name: ParameterSet): readonly Parameter[] {
  const found = known.get(name) ?? readSet(sets[name]);
  known.set(name, found);
  return found;
}

/** A part of the path in braces. */
export const pathParameter = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

export const pretty: Parameter = {
  name: 'pretty',
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
};

import { type Application, argoGroup, keyFrom } from '#base/model';
import { printJson } from '#base/std';
import type { ApplicationSetChange, ApplicationSetPreview } from '#serve/api';
import type { Change } from './changes.ts';
import { counted } from './span.ts';

/** The writes of one kind, with the word for them. */
export type PreviewGroup = {
  readonly action: ApplicationSetChange['action'];
  readonly changes: readonly Change[];
};

const actions = ['create', 'update', 'delete'] as const;
const deeds = { create: 'create', update: 'change', delete: 'delete' } as const;

/** Creations, then updates, then deletions; kinds without one are left out. */
export function previewGroups({ changes }: ApplicationSetPreview): PreviewGroup[] {
  return actions.flatMap((action) => {
    const found = changes.filter((change) => change.action === action);
    return found.length > 0 ? [{ action, changes: found.map(asChange) }] : [];
  });
}

/** `3 would be created, 1 updated and 2 deleted; 12 stay as they are.` */
export function previewSentence({ changes, unchanged, blocked, invalid }: ApplicationSetPreview): string {
  if (blocked !== undefined) return 'Nothing would be done.';
  const numbers = actions.flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${action} ${counted(count, 'application')}`] : [];
  });
  const rest = [
    ...(unchanged > 0 ? [`${unchanged} ${unchanged === 1 ? 'stays as it is' : 'stay as they are'}`] : []),
    ...(invalid.length > 0 ? [`${invalid.length} cannot be used`] : []),
  ].join(', ');
  if (numbers.length === 0) return rest ? `Nothing would change: ${rest}.` : 'Nothing would change.';
  const last = numbers.pop();
  const list = numbers.length > 0 ? `${numbers.join(', ')} and ${last}` : last;
  return `The set would ${list}${rest ? `; ${rest}` : ''}.`;
}

function asChange({ action, application, live, target }: ApplicationSetChange): Change {
  const { namespace = '', name = application } = (live ?? target)?.metadata ?? {};
  return {
    key: keyFrom({ group: argoGroup, kind: 'Application', namespace, name }),
    group: argoGroup,
    kind: 'Application',
    namespace,
    name,
    deed: deeds[action],
    fields: [],
    isMasked: false,
    before: action === 'create' ? '' : declared(live),
    after: action === 'delete' ? '' : declared(target),
  };
}

/** What a set writes of an application: neither its status nor what the API server adds. */
function declared(app: Application | undefined): string {
  if (!app) return '';
  const { apiVersion, kind, metadata, spec } = app;
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const kept = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  };
  return printJson({ apiVersion, kind, metadata: kept, spec });
}

/** The parameters as a table: the keys of all sets in order of appearance, and a row for each application. */
export type ParameterTable = {
  readonly keys: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** Nested parameters, as Go templates have them, become dotted keys. */
export function parameterTable(parameters: ApplicationSetPreview['parameters']): ParameterTable {
  const flat = parameters.map((one) => new Map(flattened(one, '')));
  const keys = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  return { keys, rows: flat.map((row) => keys.map((key) => row.get(key) ?? '')) };
}

function* flattened(value: unknown, path: string): Generator<[string, string]> {
  if (typeof value !== 'object' || value === null) yield [path, String(value)];
  else if (Array.isArray(value)) yield [path, printJson(value)];
  else
    for (const [key, inner] of Object.entries(value)) yield* flattened(inner, path ? `${path}.${key}` : key);
}

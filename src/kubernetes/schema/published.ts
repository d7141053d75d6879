import { published } from './facts/published.ts';

/**
 * The facts of a built-in struct that only its published schema has: allowed values and defaults by field,
 * and its union.
 */
export type Published = {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly union?: Union;
};

/**
 * One of `fields` may be set, the one that `discriminator` names; keys are fields, values those of the
 * discriminator.
 */
type Union = { readonly discriminator?: string; readonly fields: Readonly<Record<string, string>> };

type Draft = { values: Map<string, readonly string[]>; defaults: Map<string, unknown>; union?: Union };

/** `Container imagePullPolicy Always|Never` · `ContainerPort protocol ="TCP"` · `Subject kind ?user:User|group:Group` */
function readLine(line: string, draftOf: (name: string) => Draft): void {
  const [name = '', field = ''] = line.split(' ', 2);
  const rest = line.slice(name.length + field.length + 2);
  const draft = draftOf(name);
  if (rest.startsWith('=')) draft.defaults.set(field, JSON.parse(rest.slice(1)));
  else if (rest.startsWith('?')) {
    const fields = Object.fromEntries(
      rest
        .slice(1)
        .split('|')
        .map((pair) => pair.split(':', 2)),
    );
    draft.union = { fields, ...(field !== '-' && { discriminator: field }) };
  } else draft.values.set(field, rest.split('|'));
}

function readTable(): Map<string, Draft> {
  const all = new Map<string, Draft>();
  let home = '';
  const draftOf = (name: string): Draft => {
    const key = `${home}.${name}`;
    const draft = all.get(key) ?? { values: new Map(), defaults: new Map() };
    all.set(key, draft);
    return draft;
  };
  for (const line of published.split('\n')) {
    if (line.startsWith('# ')) home = line.slice(2);
    else if (line !== '') readLine(line, draftOf);
  }
  return all;
}

let table: Map<string, Published> | undefined;

/** By the struct's full name, `io.k8s.api.core.v1.Container`; undefined when there are none. */
export function publishedFacts(struct: string): Published | undefined {
  table ??= readTable();
  return table.get(struct.split('.').slice(-3).join('.'));
}

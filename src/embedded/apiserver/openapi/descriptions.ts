import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { lettersOf, modelFolder, readModel, type Texts } from './model-files.ts';

type Find = (model: string) => Texts | undefined;

const nothing: Find = () => undefined;
let find: Find | undefined;

/**
 * The descriptions of built-in types belong to Kubernetes and are not part of this source: a build includes them
 * in a file of its own, from source they are read from the development packages. Without either there are none.
 */
function open(): Find {
  const carried = carriedModels();
  if (carried) return (model) => carried[model];
  const folder = modelFolder();
  if (folder === undefined) return nothing;
  const known = new Map<string, Texts | undefined>();
  return (model) => {
    if (!known.has(model)) known.set(model, readModel(folder, model));
    return known.get(model);
  };
}

function carriedModels(): Readonly<Record<string, Texts>> | undefined {
  try {
    const packed = readFileSync(new URL('./descriptions.json.gz', import.meta.url));
    return JSON.parse(gunzipSync(packed).toString()) as Record<string, Texts>;
  } catch {
    return undefined; // not built, or built without the package
  }
}

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function textsOf(struct: string): Texts | undefined {
  find ??= open();
  const [group = '', version = '', kind = ''] = struct.split('.').slice(-3);
  const model = `${titled(version)}${kind}`;
  // a kind that exists in several groups has the group in its model name
  return find(`${titled(group)}${model}`) ?? find(model);
}

/**
 * The description of a built-in struct, as `{ description }` to be spread into its schema; empty when there is
 * none.
 */
export function aboutStruct(struct: string): { description?: string } {
  return text(textsOf(struct)?.about);
}

/** The description of one of its fields. */
export function aboutField(struct: string, field: string): { description?: string } {
  return text(textsOf(struct)?.fields[lettersOf(field)]);
}

const text = (description: string | undefined) => (description ? { description } : {});

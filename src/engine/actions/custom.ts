import type { KubeObject } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';

/** A script for the caller to run in a worker, and what it sees. compat engine H-38: actions never get the open libraries. */
export type ActionScript = {
  readonly script: string;
  readonly globals: { readonly obj: KubeObject; readonly actionParams?: Readonly<Record<string, string>> };
  readonly openLibs: false;
};

export type CustomActions = {
  readonly discovery: string;
  readonly definitions: ReadonlyMap<string, string>;
  readonly mergeBuiltIns: boolean;
};

const where = 'resource.customizations.actions';

/** engine H-32: the block a user wrote for one kind. Throws InvalidSpec that names what is wrong with it. */
export function customActions(text: string): CustomActions {
  const block = parse(text, { name: where });
  if (!isObject(block)) throw wrong('must be a mapping with discovery.lua and definitions');
  const discovery = block['discovery.lua'] ?? '';
  if (typeof discovery !== 'string') throw wrong('discovery.lua must be text');
  const merge = block.mergeBuiltinActions ?? false;
  if (typeof merge !== 'boolean') throw wrong('mergeBuiltinActions must be true or false');
  return { discovery, definitions: definitionsOf(block.definitions ?? []), mergeBuiltIns: merge };
}

function definitionsOf(list: unknown): Map<string, string> {
  if (!Array.isArray(list)) throw wrong('definitions must be a list');
  const found = new Map<string, string>();
  for (const [index, item] of list.entries()) {
    const { name, 'action.lua': script } = isObject(item) ? item : {};
    if (typeof name !== 'string' || typeof script !== 'string') {
      throw wrong(`definitions[${index}] needs a name and an action.lua`);
    }
    // the first of two with one name is the one that runs
    if (!found.has(name)) found.set(name, script);
  }
  return found;
}

const wrong = (what: string): FairleadError => new FairleadError('InvalidSpec', `${where}: ${what}`);

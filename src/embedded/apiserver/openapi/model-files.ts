import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The descriptions of a published type and its fields; field names contain letters and digits only. */
export type Texts = { readonly about: string; readonly fields: Readonly<Record<string, string>> };

/** The folder of the generated models of `@kubernetes/client-node`; undefined when the package is not installed. */
export function modelFolder(): string | undefined {
  try {
    // its files are read, never run: the package does not load on every supported Node version
    const entry = createRequire(import.meta.url).resolve('@kubernetes/client-node');
    return join(dirname(entry), 'gen', 'models');
  } catch {
    return undefined;
  }
}

/** The texts of one model, `V1Container`; undefined when the file does not exist. */
export function readModel(folder: string, name: string): Texts | undefined {
  let declaration: string;
  try {
    declaration = readFileSync(join(folder, `${name}.d.ts`), 'utf8');
  } catch {
    return undefined;
  }
  return textsOf(declaration);
}

/** Every model of a stable version, by name: included in a build. */
export function readModels(folder: string): Record<string, Texts> {
  const models: Record<string, Texts> = {};
  for (const file of readdirSync(folder).toSorted()) {
    const name = /^(\w*?V\d+(?!alpha|beta)[A-Z]\w*|VersionInfo)\.d\.ts$/.exec(file)?.[1];
    const texts = name === undefined ? undefined : readModel(folder, name);
    if (name !== undefined && texts !== undefined) models[name] = texts;
  }
  return models;
}

const comment = /\/\*\*\s*\*\s(.*)\s*\*\/\s*(?:export declare class|'([^']+)'\??:)/g;

function textsOf(declaration: string): Texts {
  let about = '';
  const fields: Record<string, string> = {};
  for (const [, text = '', field] of declaration.matchAll(comment)) {
    const plain = text.replace(/\\(.)/g, '$1').trim();
    if (field === undefined) about = plain;
    else fields[lettersOf(field)] = plain;
  }
  return { about, fields };
}

/** `x-kubernetes-list-type` and `x_kubernetes_list_type` are one field. */
export const lettersOf = (field: string): string => field.replace(/[^A-Za-z0-9]/g, '');

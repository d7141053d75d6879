import { readdirSync, readFileSync } from 'node:fs';
import { asKubeObject, type KubeObject, parseSettings, type Settings } from '#base/model';
import { isObject } from '#base/std';
import { parse, parseAll } from '#lang/yaml';

const folder = new URL('./testdata/', import.meta.url);

/** Every file restored from the users' documents, as `002/hello-world.yaml`. */
export const allFiles = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort();

/** All documents of a file. */
export const documents = (file: string): unknown[] =>
  parseAll(readFileSync(new URL(file, folder), 'utf8'), { name: file }).map(({ value }) => value);

/** The first document of a file, as whatever the test knows it to be. */
export const fragment = <T = Record<string, string>>(file: string): T => documents(file)[0] as T;

/** The manifests in a file; fragments are none. */
export const manifests = (file: string): KubeObject[] =>
  documents(file).flatMap((document) =>
    isObject(document) && document.kind ? [asKubeObject(document, file)] : [],
  );

/** The first manifest of a file. */
export function manifest<T extends KubeObject = KubeObject>(file: string): T {
  const [first] = manifests(file);
  if (!first) throw new Error(`${file} holds no manifest`);
  return first as T;
}

/** The data of the first manifest, a ConfigMap. */
export const dataOf = (file: string): Record<string, string> =>
  (manifest(file) as KubeObject & { data: Record<string, string> }).data;

/** What these keys of argocd-cm and argocd-cmd-params-cm come to. */
export const settingsOf = (
  cm: Readonly<Record<string, string>>,
  params: Readonly<Record<string, string>> = {},
): Settings => parseSettings({ cm, params }, (text) => parse(text, { name: 'argocd-cm' }));

import { decline } from './decline.ts';
import type { KustomizeResource } from './resource.ts';
import { texts } from './typed.ts';
import { type FieldMap, isAmbiguous } from './values.ts';

/** The origins that `buildMetadata` makes kustomize record on every object (sources KX-3). */
export type BuildMetadata = { readonly origins: boolean; readonly transformations: boolean };

/** compat: the label with the version of kustomize is not supported. */
export function notesOf(value: unknown): BuildMetadata | undefined {
  const wanted = texts(value);
  if (wanted.length === 0) return undefined;
  const known = ['originAnnotations', 'transformerAnnotations'];
  if (!wanted.every((one) => known.includes(one))) decline('other metadata of a build');
  return {
    origins: wanted.includes('originAnnotations'),
    transformations: wanted.includes('transformerAnnotations'),
  };
}

/** Paths as kustomize joins them: relative to the folder that is built, and out of it where they lead there. */
export function originPath(from: string, name: string): string {
  const parts: string[] = [];
  for (const part of `${from}/${name}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

const plainPath = (path: string): string =>
  /^[\w.][\w./-]*$/.test(path) && !isAmbiguous(path) ? path : decline('an odd path of an origin');

/** An object that was read from a file. */
export const fileOrigin = (path: string): string => `path: ${plainPath(path)}\n`;

/** An object that a plugin configured by a file created or changed. */
export function pluginOrigin(path: string, kind: string, { name, namespace }: FieldMap = {}): string {
  const named = [
    ['name', name],
    ['namespace', namespace],
  ].flatMap(([field, text]) => (text === undefined ? [] : [`  ${field}: ${text}\n`]));
  return [
    `configuredIn: ${plainPath(path)}\n`,
    'configuredBy:\n',
    '  apiVersion: builtin\n',
    `  kind: ${kind}\n`,
    ...named,
  ].join('');
}

/** Records on every object that a transformer has run. compat: also where it changed nothing. */
export function noteStep(resources: readonly KustomizeResource[], origin: string): void {
  for (const resource of resources) resource.steps = [...resource.steps, origin];
}

/** Writes the recorded origins into the annotations of an object. */
export function writeNotes({ metadata, madeBy, steps }: KustomizeResource, notes: BuildMetadata): void {
  const annotations: FieldMap = { ...(metadata.annotations as FieldMap | undefined) };
  if (notes.transformations && steps.length > 0) {
    const items = steps.map((step) => `- ${step.trimEnd().replaceAll('\n', '\n  ')}\n`);
    annotations['alpha.config.kubernetes.io/transformations'] = items.join('');
  }
  if (notes.origins && madeBy !== '') annotations['config.kubernetes.io/origin'] = madeBy;
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
}

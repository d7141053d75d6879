import { FairleadError, isObject, printJson } from '#base/std';
import { parse } from '#lang/yaml';
import { isWebUrl, parseRemoteBase, withoutUser } from './kustomize-remote.ts';

const words = (text: string): string[] => text.toLowerCase().split(' ');

/** Fields whose text may be a URL that is read like a file (sources KL-6). */
const webFields = new Set(
  words('crds configurations path patchesStrategicMerge files envs env valuesFile additionalValuesFiles'),
);

/** Fields whose text, or list of texts, names files, folders or remote URLs. */
export const placeFields: ReadonlySet<string> = new Set([
  ...webFields,
  ...words('resources bases components generators transformers validators paths chartHome'),
]);

/** A remote URL that a kustomization names. */
export type RemoteMention = {
  /** The kustomization's own file. */
  readonly file: string;
  /** As it is written there; `place` is the part of it that is a URL. */
  readonly text: string;
  readonly place: string;
  /** `base`: objects, or a folder of a repository; `component`: such a folder; `file`: any file of a URL. */
  readonly as: 'base' | 'component' | 'file';
};

/** The remote URL in a field of a kustomization, if it is one that we can fetch. */
export function mentionOf(text: string, field: string): Omit<RemoteMention, 'file'> | undefined {
  if (field === 'resources' || field === 'bases') {
    const isRemote = isWebUrl(text) || parseRemoteBase(text) !== undefined;
    return isRemote ? { text, place: text, as: 'base' } : undefined;
  }
  if (field === 'components') {
    return parseRemoteBase(text) ? { text, place: text, as: 'component' } : undefined;
  }
  const place = field === 'files' ? text.slice(text.indexOf('=') + 1) : text;
  return webFields.has(field) && isWebUrl(place) ? { text, place, as: 'file' } : undefined;
}

/** The text of a kustomization with other paths in the fields that name files, folders or URLs. */
export function withPlaces(text: string, name: string, places: ReadonlyMap<string, string>): string {
  const renamed = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return placeFields.has(field) ? (places.get(value) ?? value) : value;
    if (Array.isArray(value)) return value.map((item) => renamed(item, field));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, renamed(inner, key.toLowerCase())]),
    );
  };
  return `${printJson(renamed(parse(text, { name }), ''), 2)}\n`; // JSON is YAML, and survives every reader unchanged
}

const remote =
  /^(?:[a-z][a-z0-9+.-]*:\/\/|git::|[\w.-]+@[\w.-]+:|(?:www\.)?(?:github|gitlab|bitbucket)\.(?:com|org)[/:])/i;

/** The engine would fetch URLs that we do not, past every rule about permitted sources. */
export function refuseRemote(text: string, file: string, anywhere: boolean): void {
  const place = text.slice(text.indexOf('=') + 1);
  const candidates = [text, place, ...(anywhere ? (text.match(/\S*:\/\/\S*/g) ?? []) : [])];
  const found = candidates.find(
    (candidate) => remote.test(candidate) || (anywhere && candidate.includes('://')),
  );
  if (found === undefined) return;
  throw new FairleadError(
    'PermissionDenied',
    `${file} names the remote base ${withoutUser(found)} where none can be fetched: name a Git repository in resources or components of a kustomization, or copy it into the repository`,
  );
}

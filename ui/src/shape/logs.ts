import { asKubeObject, parseTime, viewOf } from '#base/model';
import { isObject, parseJson, printJson } from '#base/std';
import type { TreeItem } from './resource-forest.ts';
import { preciseTime } from './time.ts';

/** What of the logs is shown, from the address. compat server §10.1: the parameter names of bookmarks. */
export type LogChoice = {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly container: string;
  readonly pod: string;
  readonly since: number;
  readonly search: string;
  readonly matchCase: boolean;
  readonly wrap: boolean;
  readonly times: boolean;
};

export function logChoiceOf(query: URLSearchParams): LogChoice {
  const isOn = (name: string) => query.get(name) === 'true';
  const since = Number(query.get('sinceSeconds') ?? 0);
  const previous = isOn('showPreviousLogs');
  return {
    follow: query.get('follow') !== 'false' && !previous, // what ended is not followed
    previous,
    container: query.get('container') ?? '',
    pod: query.get('pod') ?? '',
    since: Number.isSafeInteger(since) && since > 0 ? since : 0,
    search: query.get('filterText') ?? '',
    matchCase: isOn('matchCase'),
    wrap: query.get('wrap') !== 'false',
    times: isOn('viewTimestamps'),
  };
}

export const sinceChoices: readonly { readonly seconds: number; readonly label: string }[] = [
  { seconds: 0, label: 'All that is kept' },
  { seconds: 60, label: 'Last minute' },
  { seconds: 600, label: 'Last 10 minutes' },
  { seconds: 3600, label: 'Last hour' },
  { seconds: 86_400, label: 'Last day' },
];

type Line = { readonly pod: string; readonly time: string; readonly text: string };

/** The lines that contain the words; with `!` in front, those that do not. */
export function searchLines<T extends Line>(
  lines: readonly T[],
  { search, matchCase }: LogChoice,
): readonly T[] {
  if (search === '' || search === '!') return lines;
  const fold = (text: string) => (matchCase ? text : text.toLowerCase());
  const isInverse = search.startsWith('!');
  const word = fold(isInverse ? search.slice(1) : search);
  return lines.filter(({ text }) => fold(text).includes(word) !== isInverse);
}

/** Lines that are drawn together. */
type LogChunk<T> = { readonly id: number; readonly lines: readonly T[] };

const chunkSize = 100;

/** The lines in chunks by their numbers: a line stays in its chunk when older ones are dropped or newer ones come. */
export function chunksOf<T extends { readonly id: number }>(lines: readonly T[]): LogChunk<T>[] {
  const chunks: { id: number; lines: T[] }[] = [];
  for (const line of lines) {
    const id = Math.floor(line.id / chunkSize);
    const last = chunks.at(-1);
    if (last?.id === id) last.lines.push(line);
    else chunks.push({ id, lines: [line] });
  }
  return chunks;
}

/** A line that is a JSON object, unfolded; undefined: it is text. */
export function unfolded(text: string): string | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return isObject(value) ? printJson(value, 2) : undefined;
  } catch {
    return undefined;
  }
}

/** A word by which a line reports trouble; undefined: none. */
export function levelOf(text: string): 'bad' | 'warn' | undefined {
  if (/\b(?:error|fatal|panic|exception)\b/i.test(text)) return 'bad';
  return /\bwarn(?:ing)?\b/i.test(text) ? 'warn' : undefined;
}

/** The lines as a file: time, pod and text. */
export const fileOf = (lines: readonly Line[]): string =>
  lines.map(({ time, pod, text }) => `${time} ${pod} ${text}\n`).join('');

/** The time of a line without its date, in the zone of the reader, as all times of the page. */
export function lineTime(time: string, zone?: string): string {
  const at = parseTime(time);
  return at === undefined ? '' : preciseTime(at, zone);
}

/** The pods below some resources, the resources themselves included. */
export function podsIn(items: readonly TreeItem[]): TreeItem[] {
  return items.flatMap((item) => [
    ...(item.kind === 'Pod' && item.group === '' ? [item] : []),
    ...podsIn(item.children),
  ]);
}

type PodFields = {
  spec: Record<'containers' | 'initContainers', readonly { readonly name: string }[] | undefined>;
};

/** The containers of a pod from its manifest, those that start it last. */
export function containersOf(manifest: string | undefined): string[] {
  if (!manifest) return [];
  try {
    const { spec } = viewOf<PodFields>(asKubeObject(parseJson(manifest), 'the pod'));
    return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ name }) => name);
  } catch {
    return []; // no manifest of a pod: there is nothing to choose from
  }
}

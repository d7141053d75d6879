import { FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';

/** One version of a chart, as its repository's index lists it. */
export type IndexEntry = {
  readonly version: string;
  readonly urls: readonly string[];
  /** In the form `sha256:…`; undefined when the index has none. */
  readonly digest: string | undefined;
};

type IndexText = { readonly bytes: number; readonly shown: string };

/** The versions of a chart, read from its part of an index, or from all of it. */
export function readEntries(text: Uint8Array, chart: string, of: IndexText): IndexEntry[] {
  const charts = chartsOf(text, of);
  const list = Object.hasOwn(charts, chart) ? charts[chart] : undefined;
  return Array.isArray(list) ? list.flatMap(entryOf) : [];
}

/** The names of all charts of an index, in its order. */
export const readNames = (text: Uint8Array, of: IndexText): readonly string[] =>
  Object.keys(chartsOf(text, of));

function chartsOf(text: Uint8Array, of: IndexText): Readonly<Record<string, unknown>> {
  const limits = { bytes: of.bytes, nodes: 10_000_000, aliases: 10_000 };
  let value: unknown;
  try {
    value = parse(text, { limits });
  } catch (error) {
    const failure = FairleadError.from(error);
    throw new FairleadError(
      failure.code === 'LimitExceeded' ? 'LimitExceeded' : 'InvalidSpec',
      `the index of chart repository ${of.shown} cannot be read: ${failure.message}`,
      error,
    );
  }
  const charts = isObject(value) && isObject(value.entries) ? value.entries : value;
  return isObject(charts) ? charts : {};
}

function entryOf(value: unknown): IndexEntry[] {
  if (!isObject(value)) return []; // compat: a broken entry hides only itself
  const { version, urls, digest } = value;
  const places = Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
  if (typeof version !== 'string' || version === '') return [];
  return [{ version, urls: places, digest: digestOf(digest) }];
}

/** A digest of an unsupported form matches nothing, rather than counting as absent (sources HRP-3). */
function digestOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return `sha256:${String(value)
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')}`;
}

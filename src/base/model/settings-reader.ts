import { FairleadError } from '#base/std';
import { commaList, parseBool } from './annotations.ts';
import { defaultSettings } from './default-settings.ts';
import { parseDuration } from './duration.ts';
import { scaledValue } from './quantity.ts';
import type { Settings, SettingsProblem } from './settings.ts';
import { listOf } from './settings-yaml.ts';

/** Selects a value in the settings: used on the defaults, and on the last good ones. */
export type Where<T> = (settings: Settings) => T;
export type ParseYaml = (text: string) => unknown;

type Source = {
  readonly configMap: SettingsProblem['configMap'];
  readonly data: Readonly<Record<string, string>>;
  readonly last: Settings;
  readonly problems: SettingsProblem[];
};

/**
 * Reads the keys of one ConfigMap. A missing key gives the default; a malformed one is reported and gives the
 * last good value, so that a slip of the pen never changes what runs.
 */
export class SettingsReader {
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  get data(): Readonly<Record<string, string>> {
    return this.#source.data;
  }

  /** Empty text counts as missing, as it does upstream nearly everywhere. */
  has(key: string): boolean {
    return Boolean(this.#source.data[key]);
  }

  problem(severity: SettingsProblem['severity'], key: string, message: string): void {
    this.#source.problems.push({ severity, configMap: this.#source.configMap, key, message });
  }

  /** The general case: `parse` throws, or returns undefined, on what it cannot use. */
  parsed<T>(key: string, pick: Where<T>, parse: (text: string) => T | undefined, wanted: string): T {
    const text = this.#source.data[key];
    if (!text) return pick(defaultSettings);
    try {
      const value = parse(text.trim());
      if (value !== undefined) return value;
      this.problem('error', key, `"${shortened(text)}" is not ${wanted}`);
    } catch (error) {
      this.problem('error', key, `not ${wanted}: ${FairleadError.from(error).message}`);
    }
    return pick(this.#source.last);
  }

  text(key: string, pick: Where<string>): string {
    return this.#source.data[key] || pick(defaultSettings);
  }

  flag(key: string, pick: Where<boolean>): boolean {
    return this.parsed(key, pick, parseBool, '"true" or "false"');
  }

  /** compat: it counts only when the value is exactly this; a value that merely looks like it is reported. */
  only(literal: 'true' | 'false', key: string): boolean {
    const text = this.#source.data[key];
    if (text !== undefined && text !== literal && alike[literal].test(text.trim())) {
      this.problem('warning', key, `"${shortened(text)}" has no effect; write "${literal}"`);
    }
    return text === literal;
  }

  list(key: string, pick: Where<readonly string[]>): readonly string[] {
    return this.has(key) ? commaList(this.#source.data[key]) : pick(defaultSettings);
  }

  integer(key: string, pick: Where<number>, least = 0): number {
    const parse = (text: string) =>
      /^-?[0-9]{1,15}$/.test(text) && Number(text) >= least ? Number(text) : undefined;
    return this.parsed(key, pick, parse, `an integer of at least ${least}`);
  }

  /** A number of seconds; `pick` is in milliseconds. Fractions and Go durations are taken as what they mean. */
  seconds(key: string, pick: Where<number>): number {
    const parse = (text: string) => (/^[0-9]{1,12}$/.test(text) ? Number(text) * 1000 : nonNegative(text));
    return this.parsed(key, pick, parse, 'a number of seconds');
  }

  duration(key: string, pick: Where<number>): number {
    return this.parsed(key, pick, nonNegative, 'a duration such as 90s, 5m or 1h30m');
  }

  /** A quantity such as 10M. */
  bytes(key: string, pick: Where<number>): number {
    return this.parsed(key, pick, (text) => Number(scaledValue(text)), 'a size such as 10M or 1Gi');
  }

  oneOf<T extends string>(key: string, pick: Where<T>, words: readonly T[]): T {
    const parse = (text: string) => words.find((word) => word === text);
    return this.parsed(key, pick, parse, `one of ${words.filter(Boolean).join(', ')}`);
  }
}

const alike = { true: /^(?:true|t|1|yes|y|on)$/i, false: /^(?:false|f|0|no|n|off)$/i };

function nonNegative(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms < 0 ? undefined : ms;
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Both maps, and how YAML inside them is read. */
export type Readers = {
  readonly cm: SettingsReader;
  readonly params: SettingsReader;
  readonly yaml: ParseYaml;
};

/** A value written as YAML; `read` throws on what does not fit. */
export function yamlValue<T>(
  { cm, yaml }: Readers,
  key: string,
  pick: Where<T>,
  read: (value: unknown) => T,
): T {
  return cm.parsed(key, pick, (text) => read(yaml(text)), 'valid');
}

/** A list of maps written as YAML. */
export function yamlList<T>(
  readers: Readers,
  key: string,
  pick: Where<readonly T[]>,
  read: Parameters<typeof listOf<T>>[1],
): readonly T[] {
  return yamlValue(readers, key, pick, (value) => listOf(value, read));
}

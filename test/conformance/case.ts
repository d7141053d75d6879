import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, print } from '#lang/yaml';
import type { Asker, Need } from './target.ts';

/** What a cluster said, with everything taken out that differs from one run to the next. */
export type Answer = {
  readonly code?: number;
  /** Of the headers that clients act on, those that are not what everybody expects. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Compare these parts and nothing else; `*` is any one field or item. */
  readonly only?: readonly string[];
  /** Compare everything but these parts. */
  readonly without?: readonly string[];
  readonly body?: unknown;
  /** With `only`: each part that is there, by its place. */
  readonly parts?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly events?: readonly unknown[];
};

/** One thing that is asked: `request`, `until`, `watch` (opens one) or `events` (reads from an open one). */
export type Step = {
  readonly request?: string;
  readonly until?: string;
  readonly watch?: string;
  readonly events?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: Asker;
  readonly body?: unknown;
  readonly text?: string;
  readonly base64?: string;
  /** until: what the body must contain. events: what the last event must contain. */
  readonly shows?: unknown;
  /** events: how many; `end`: all until the server ends the watch. */
  readonly count?: number | 'end';
  /** watch: what later steps call it. */
  readonly name?: string;
  /** Names for parts of the body, for later steps to say as `${name}`. */
  readonly keep?: Readonly<Record<string, string>>;
  readonly answer?: Answer;
};

/** By the name of the ConfigMap. */
export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Case = {
  readonly name: string;
  readonly about: string;
  readonly needs: readonly Need[];
  /** Data of ConfigMaps in knative-serving while the case is played. No other case is played meanwhile. */
  readonly settings: Settings;
  readonly steps: readonly Step[];
  readonly file: string;
  readonly source: string;
};

const folder = fileURLToPath(new URL('cases/', import.meta.url));
const wanted: readonly string[] = ['about', 'needs', 'settings', 'steps'];

/** Every case there is, by name: its path below `cases/`. */
export function readCases(): Case[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readCase(join(folder, file)));
}

function readCase(file: string): Case {
  const source = readFileSync(file, 'utf8');
  const name = relative(folder, file).replace(/\.yaml$/, '');
  const read = parse(source, { name: `${name}.yaml` }) as Partial<Case>;
  const { about, needs = [], settings = {}, steps = [], ...rest } = read;
  const wrong = Object.keys(rest).filter((key) => !wanted.includes(key));
  if (!about || wrong.length > 0 || steps.length === 0) {
    throw new Error(
      `${name}.yaml needs about and steps and knows ${wanted.join(', ')}, not ${wrong.join(', ')}`,
    );
  }
  return { name, about, needs, settings, steps, file, source };
}

/** The text of a case with other answers in it; everything else, comments included, stays as it was typed. */
export function withAnswers({ source }: Case, answers: readonly (Answer | undefined)[]): string {
  const lines = source.trimEnd().split('\n');
  const starts = lines.flatMap((line, at) => (/^ {2}- /.test(line) ? [at] : []));
  if (starts.length !== answers.length) throw new Error('every step begins with two spaces and a dash');
  const parts = answers.map((answer, at) => {
    const step = withoutAnswer(lines.slice(starts[at], starts[at + 1] ?? lines.length));
    const tail = trailing(step);
    const told = answer ? indented(print({ answer })) : [];
    return [...step.slice(0, step.length - tail), ...told, ...step.slice(step.length - tail)];
  });
  return `${[...lines.slice(0, starts[0]), ...parts.flat()].join('\n')}\n`;
}

function withoutAnswer(step: readonly string[]): string[] {
  const from = step.findIndex((line) => /^ {4}answer:/.test(line));
  if (from < 0) return [...step];
  const length = step.slice(from + 1).findIndex((line) => line !== '' && !/^ {5}/.test(line));
  return [...step.slice(0, from), ...(length < 0 ? [] : step.slice(from + 1 + length))];
}

/** Blank lines and comments that lead to the next step. */
function trailing(step: readonly string[]): number {
  const last = step.findLastIndex((line) => !/^\s*$|^ {0,2}#/.test(line));
  return step.length - 1 - last;
}

const indented = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `    ${line}`));

/** What a step asks for, as `METHOD /path`. */
export function requestOf(step: Step): { method: string; path: string } {
  const line = step.request ?? step.until ?? step.watch ?? '';
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(line) ?? [];
  if (!method || !path) throw new Error(`not METHOD /path: ${line}`);
  return { method, path };
}

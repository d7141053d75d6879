import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, print } from '#lang/yaml';
import type { Need } from './target.ts';
import type { Release } from './toolbox.ts';

/** What somebody typed, and what the programs printed on a real cluster. */
export type Transcript = {
  readonly name: string;
  readonly file: string;
  readonly about: string;
  /** Whose programs these are; the newest unless told. */
  readonly release: Release;
  /** Other releases of the programs that print the same. */
  readonly also: readonly Release[];
  /** What the cluster must have for it. */
  readonly needs: readonly Need[];
  /** It changes the cluster itself, so it is told when nothing else is. */
  readonly alone: boolean;
  readonly files: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
};

export type Step = {
  /** A line of shell. */
  readonly run: string;
  /** Its standard input. */
  readonly input?: string;
  /** Runs it again until its output has this text. */
  readonly until?: string;
  /** Of the output, only lines that match are compared. */
  readonly lines?: string;
  /** Lines of the output come in any order. */
  readonly sorted?: boolean;
  /** Nothing is compared: it only has to succeed. */
  readonly quiet?: boolean;
} & Said;

export type Said = { readonly code?: number; readonly out?: string; readonly err?: string };

const newest: Release = '1.36';
const folder = new URL('transcripts/', import.meta.url);

/** Every transcript of the folder. */
export function readTranscripts(): Transcript[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => {
      const file = fileURLToPath(new URL(name, folder));
      const read = parse(readFileSync(file, 'utf8')) as Partial<Transcript>;
      const {
        about = '',
        release = newest,
        also = [],
        needs = [],
        alone = false,
        files = {},
        steps = [],
      } = read;
      return { name: basename(name, '.yaml'), file, about, release, also, needs, alone, files, steps };
    });
}

/** The file of a transcript, with what was said this time. */
export function withAnswers(
  { about, release, also, needs, alone, files, steps }: Transcript,
  said: readonly Said[],
): string {
  const told = steps.map(({ code: _code, out: _out, err: _err, ...step }, at) => ({ ...step, ...said[at] }));
  return print({
    about,
    ...(release !== newest && { release }),
    ...(also.length > 0 && { also }),
    ...(needs.length > 0 && { needs }),
    ...(alone && { alone }),
    ...(Object.keys(files).length > 0 && { files }),
    steps: told,
  });
}

/** The part of an outcome that a step compares: nothing where nothing was said. */
export function comparable(step: Step, { code = 0, out = '', err = '' }: Said): Said {
  if (step.quiet) return code === 0 ? {} : { code, err };
  let text = out;
  const wanted = step.lines === undefined ? undefined : new RegExp(step.lines);
  if (wanted) text = linesOf(text).filter((line) => wanted.test(line)).join('\n'); // biome-ignore format: one thought
  if (step.sorted) text = linesOf(text).toSorted().join('\n');
  // nothing begins or ends with space: such blocks of YAML are easily broken by whoever indents a file anew
  const [said, complained] = [text.trim(), err.trim()];
  return { ...(code !== 0 && { code }), ...(said && { out: said }), ...(complained && { err: complained }) };
}

/** What a step said when it was recorded, as `comparable` tells it. */
export const recorded = ({ code, out, err }: Step): Said => ({
  ...(code && { code }),
  ...(out && { out: out.trim() }),
  ...(err && { err: err.trim() }),
});

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The letters Kubernetes makes names and hashes of. */
const safe = 'bcdfghjklmnpqrstvwxz2456789';
type Rule = readonly [pattern: RegExp, word: string];

/** What differs from run to run, in the order it is looked for. */
const rules: readonly Rule[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\bey[\w-]{10,}\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<date>'],
  [/\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}/g, '<date>'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+-]\d{4} \w+(?: m=\S+)?/g, '<date>'],
  // HTTP/1.1 ends a watch in a way that client-go remarks on when it is quick enough
  [/^[IWE]\d{4} .*"Warning: watch ended with error".*\n/gm, ''],
  [/[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /g, '<log> '],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/v1\.36\.\d+(?:\+fairlead)?/g, '<version>'],
  [/\b(?:10|172|192)\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [/(resourceVersion"?: "?)\d+/g, '$1<rv>'],
  [new RegExp(`(?<=[a-z0-9]-)[${safe}]{8,10}(?=-[${safe}]{5}\\b|\\b)`, 'g'), '<hash>'],
  [new RegExp(`(?<=[a-z0-9>]-)[${safe}]{5}\\b`, 'g'), '<id>'],
  [/(pod-template-hash[=":]+ ?"?|controller-revision-hash[=":]+ ?"?)[\w-]+/g, '$1<hash>'],
  [/(?<=-)\d{8}\b/g, '<minutes>'],
  [/ \(x\d+ over [\w.]+\)/g, ''],
  [/<invalid>/g, '<age>'],
  [/(?<=^|[\s(])(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?s(?=$|[\s)])/gm, '<age>'],
  [/(?<=\d+\/TCP|\d+:)3\d{4}(?=\/TCP)/g, '<port>'],
];

/** The text with what differs replaced by words, and columns as wide as their words need. */
export function masked(text: string, names: Readonly<Record<string, string>>): string {
  let told = text;
  for (const [name, word] of Object.entries(names)) told = told.replaceAll(name, word);
  for (const [pattern, word] of rules) told = told.replace(pattern, word);
  return told
    .split('\n')
    .map((line) => line.replace(/(?<=\S) {2,}|\t+/g, '  ').trimEnd())
    .join('\n');
}

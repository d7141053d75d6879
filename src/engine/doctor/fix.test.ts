import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyEdits, parse, parseAll } from '#lang/yaml';
import { diagnoseFiles } from './diagnose.ts';
import { examine } from './examine.ts';
import { readDoctorFile } from './files.ts';
import { inventoryOf } from './inventory.ts';

// Whatever a file looks like, a fix changes the fields that it names and no others, and leaves nothing to fix.

type FixCase = { check: string; bad: string; fixed?: string };
const table = parse(readFileSync(new URL('./testdata/checks.yaml', import.meta.url), 'utf8')) as FixCase[];
const fixable = table.filter(({ fixed }) => fixed !== undefined);

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ');
/** The same manifests, written in other ways. */
const layouts: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with line breaks of Windows': (text) => text.replaceAll('\n', '\r\n'),
  'without a last line break': (text) => text.trimEnd(),
  'with a byte order mark': (text) => `\ufeff${text}`,
  'behind other documents': (text) =>
    `# first\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n${text}`,
  'before other documents': (text) => `${text}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n`,
  'as an item of a List': (text) => `apiVersion: v1\nkind: List\nitems:\n  -\n${indented(text)}`,
  'with comments and blank lines': (text) => text.replaceAll('\n', '\n\n# ä comment: {x: [y\n'),
};

const diagnose = (text: string) => diagnoseFiles({ files: [readDoctorFile('a.yaml', text)], renders: [] });
const fix = (text: string): string =>
  applyEdits(
    text,
    diagnose(text).findings.flatMap(({ edit }) => edit ?? []),
  );

/** The data of a text with the values that the checks name put in. */
function mended(text: string): unknown[] {
  const { objects } = readDoctorFile('a.yaml', text);
  const inventory = inventoryOf(objects.map(({ object }) => object));
  const documents = parseAll(text).map(({ value }) => value);
  for (const { object, document, above } of objects) {
    for (const { flaw } of examine(object, inventory)) {
      const { mend } = flaw;
      if (mend) put(documents[document], [...above, ...mend.path], 'value' in mend ? mend.value : undefined);
    }
  }
  return documents;
}

/** Sets a value; undefined: what is there, as text. */
function put(value: unknown, path: readonly (string | number)[], next: unknown): void {
  const [step = '', ...rest] = path;
  const at = value as Record<string | number, unknown>;
  if (rest.length > 0) put(at[step], rest, next);
  else at[step] = next ?? String(at[step]);
}

/** A number that YAML reads shorter than it is written, such as 1.10, is the only value that quotes change. */
const asWritten = (value: unknown): string => JSON.stringify(value).replaceAll('"1.10"', '"1.1"');

describe.each(fixable)('$check', ({ bad }) => {
  test.each(Object.entries(layouts))('is fixed %s', (_how, write) => {
    const text = write(bad);
    const fixed = fix(text);
    expect(fixed).not.toBe(text);
    expect(diagnose(fixed).findings.filter(({ edit }) => edit)).toEqual([]);
    expect(asWritten(parseAll(fixed).map(({ value }) => value))).toBe(asWritten(mended(text)));
    expect(fix(fixed)).toBe(fixed);
    const comments = (one: string): string[] => one.match(/#.*$/gm) ?? [];
    expect(comments(fixed)).toEqual(comments(text));
  });
});

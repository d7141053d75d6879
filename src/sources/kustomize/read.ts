import { isObject } from '#base/std';
import { readDocuments } from '#lang/yaml';
import { type BuildMeter, decline, limits } from './decline.ts';
import { checkFlows } from './flow.ts';
import { fromJson, type Origin } from './resource.ts';
import { asFields, type FieldMap, hasDelicateNumber, inspect, nullKeys } from './values.ts';

/** An object of a file. */
export type Read = { readonly object: FieldMap; readonly origin: Origin; readonly nodes: number };

/** Rare notations that go-yaml, kustomize and our parser may each interpret differently. */
const rarities: readonly (readonly [RegExp, string])[] = [
  [/\r/, 'a carriage return'],
  [/(?:^|[\s[{,:-])&[^\s&;,\]}]/m, 'an anchor'],
  [/^[ \t]*(?:- +)*["']?<<["']?\s*:|[{,][ \t]*<</m, 'a merge key'],
  [/(?:^[ \t]*|[:-][ \t]+|[,[{][ \t]*)!|!![a-z]/m, 'a tag'],
  [/^%|^\.\.\.(?:\s|$)/m, 'a directive'],
  [/^[ \t]*(?:- +)*\?(?:\s|$)/m, 'a complex key'],
  [/^---[^\n]*[^\s-]/m, 'something behind a document marker'],
  // compat: a value that replaces a quoted text is quoted too, and a quoted date is another text
  [
    /(?:^[ \t]*|[:-][ \t]+|[[{,][ \t]*)\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t,}\]#]|$)/m,
    'a date that is not in quotes',
  ],
  [/[[{,][ \t]*:[^\s]|:[ \t]+:[^\s]/, 'a colon where go-yaml expects none'],
  // compat: kustomize prints its input and parses it again, and not all of these survive
  [/(?:^|\s)>[-+0-9]{0,2}[ \t]*(?:#.*)?$/m, 'a folded block'],
  [/(?:^|\s)\|-?[0-9+][-+0-9]?[ \t]*(?:#.*)?$/m, 'a block that says how it is indented or ends'],
  [/(?:^|\s)\|-?[ \t]*(?:#.*)?\n(?: *\n)* *\t/m, 'a block that begins with a tab'],
];

// within double quotes only; elsewhere it is no escape
const oddEscape = /\\u[dD][89a-fA-F]|\\\//;

/** Declines a text that contains one of these notations. */
export function checkWriting(text: string): void {
  for (const [pattern, what] of rarities) if (pattern.test(text)) decline(`a text with ${what}`);
  if (text.includes('"') && oddEscape.test(text)) decline('a text with an escape that go-yaml does not know');
  checkFlows(text);
}

/** The documents of a text as Kustomize reads them. */
function readYaml(text: string, meter: BuildMeter): unknown[] {
  checkWriting(text);
  const values: unknown[] = [];
  for (const { value } of readDocuments(text, { dialect: 'v3', limits: { depth: limits.depth } })) {
    values.push(value);
  }
  meter.steps(text.length / 10);
  return values;
}

/** The objects in a text, with lists of objects expanded (sources KL-7). */
export function readObjects(text: string, meter: BuildMeter): Read[] {
  const values = readYaml(text, meter);
  const present = values.filter((value) => value !== null && !isEmptyMap(value));
  const objects = present.map((value) => asFields(value, 'a document'));
  const nodes = objects.map((object) => inspect(object));
  const origin = originOf(text, objects);
  meter.steps(nodes.reduce((sum, count) => sum + count, 0));
  const read = objects.map((object, at) => ({ object, origin, nodes: nodes[at] ?? 1 }));
  return opened(read, values.length === 1);
}

const isEmptyMap = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** compat sources KL-7: the items of a list alone in its text replace it; of any other they are appended, via JSON. */
function opened(read: readonly Read[], isAlone: boolean): Read[] {
  const queue = [...read];
  const result: Read[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (isList(next.object)) queue.push(...itemsOf(next, isAlone));
    else result.push(next);
  }
  return result;
}

function itemsOf({ object: list, origin }: Read, isAlone: boolean): Read[] {
  const { items, kind } = list;
  if (!Array.isArray(items) || kind === 'ResourceList') decline('a list without items');
  if (hasDelicateNumber(items)) decline('a list holds a number that JSON may change');
  const isUnwrapped = isAlone && kind === 'List';
  return items.map((item) => {
    const object = asFields(item, 'an item');
    if (isList(object)) decline('a list in a list');
    return { object, origin: isUnwrapped ? origin : fromJson, nodes: inspect(item) };
  });
}

const isList = ({ kind }: FieldMap): boolean => typeof kind === 'string' && kind.endsWith('List');

function originOf(text: string, objects: readonly FieldMap[]): Origin {
  const keys = new Set<string>();
  for (const object of objects) nullKeys(object, keys);
  let nullsWritten = true;
  for (const key of keys) {
    const name = `["']?${key.replace(/[^\w]/g, '\\$&')}["']?`;
    // compat: kustomize prints an empty value in a flow collection as an empty text
    if (new RegExp(`(?:^|[\\s{,])${name}\\s*:\\s*[,}\\]]|[{,]\\s*${name}\\s*[,}]`, 'm').test(text)) {
      decline('a key without a value in brackets');
    }
    if (new RegExp(`(?:^|[\\s{,])${name}[ \\t]*:[ \\t]*(?:#.*)?$`, 'm').test(text)) nullsWritten = false;
  }
  return {
    nullsWritten,
    plainPorts: !oddPort.test(text),
    plainNumbers: () => !oddNumber.test(text),
    schemaComments: /#\s*\{/.test(text),
  };
}

// a number, or a possible one, that is not in plain decimal digits
const oddNumber =
  /(?:^|[\s[{,]|["']:)(?:[+-]?0[\dxXoObB_]\w*|[+-]?\d[\d_]*(?:[eE.][\d+-]*|_\d*)|\+\d+)(?=[\s,}\]#]|$)/m;

// a port that is not in plain decimal digits
const oddPort =
  /\b(?:containerPort|port)["']?\s*:(?!\s*["']?(?:[1-9]\d{0,5}(?:["'\s,}#]|$)|[A-Za-z$({[]|$))/m;

import { equal, type FairleadError, isObject } from '#base/std';
import { print } from '#lang/yaml';
import {
  documentsIn,
  indentOf,
  isContent,
  joinDocuments,
  notEditable,
  readValue,
  readValues,
  type TextDocument,
} from './documents.ts';
import { editItems, newItems } from './items.ts';
import type { RevisionShare } from './targets.ts';

/** A Knative Service in a file: the whole of it, or a patch of one. */
export type DeclaredService = {
  /** Which document of the file, from 0. */
  readonly at: number;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly declaresTraffic: boolean;
  readonly declaresTemplate: boolean;
};

/** A manifest is a few kilobytes; a file beyond this is no place for a person's edit. */
const mostBytes = 1024 * 1024;

/** The Knative Services that a text declares; a document that is no plain YAML, as of a template, is passed over. */
export function servicesInText(text: string): readonly DeclaredService[] {
  if (text.length > mostBytes || !text.includes('serving.knative.dev')) return [];
  return documentsIn(text).flatMap((document, at): DeclaredService[] => {
    const value = readValue(document);
    if (!isObject(value) || value.kind !== 'Service' || !isObject(value.metadata)) return [];
    if (typeof value.apiVersion !== 'string' || !value.apiVersion.startsWith('serving.knative.dev/'))
      return [];
    const { name, namespace } = value.metadata;
    if (typeof name !== 'string') return [];
    return [
      {
        at,
        name,
        namespace: typeof namespace === 'string' ? namespace : undefined,
        ...declaredIn(value.spec),
      },
    ];
  });
}

function declaredIn(spec: unknown): Pick<DeclaredService, 'declaresTraffic' | 'declaresTemplate'> {
  const { traffic = null, template = null } = isObject(spec) ? spec : {};
  return { declaresTraffic: traffic !== null, declaresTemplate: template !== null };
}

/**
 * The text with other traffic in one of its documents. Comments, order and layout of everything else stay, and entries that
 * remain keep their own lines. The result is read again: it must be the same documents with the new split, or InvalidSpec is
 * thrown and nothing is edited.
 */
export function editTraffic(text: string, at: number, traffic: readonly RevisionShare[]): string {
  const documents = documentsIn(text);
  const document = documents[at];
  if (!document) throw unsafe('the document is missing');
  const wanted = withTraffic(readValue(document), traffic);
  for (const keepsItems of [true, false]) {
    const edited = { ...document, lines: editDocument(document, traffic, keepsItems) };
    if (equal(readValue(edited), wanted)) {
      const result = joinDocuments(documents.with(at, edited));
      if (equal(readValues(result), readValues(text).with(at, wanted))) return result;
    }
  }
  throw unsafe('its layout cannot be edited without changing something else');
}

const unsafe = (why: string): FairleadError => notEditable('spec.traffic', why);

function withTraffic(value: unknown, traffic: readonly RevisionShare[]): unknown {
  if (!isObject(value)) throw unsafe('it is no YAML mapping');
  const spec = value.spec ?? {};
  if (!isObject(spec)) throw unsafe('its spec is no mapping');
  return { ...value, spec: { ...spec, traffic: traffic.map(printed) } };
}

/** The fields of an entry, as they are written. */
const printed = ({ revisionName, percent = 0, tag }: RevisionShare) => ({
  ...(revisionName === undefined ? { latestRevision: true } : { revisionName }),
  percent,
  ...(tag && { tag }),
});

type Block = { readonly from: number; readonly to: number; readonly indent: number };

function editDocument(
  { lines }: TextDocument,
  traffic: readonly RevisionShare[],
  keepsItems: boolean,
): readonly string[] {
  const list = { traffic: traffic.map(printed), print: scalar, isIndented: indentsLists(lines) };
  const spec = blockOf(lines, 'spec', { from: 0, to: lines.length, indent: 0 });
  if (!spec) {
    const end = lastContent(lines, 0, lines.length) + 1;
    return lines.toSpliced(end, 0, 'spec:', '  traffic:', ...newItems({ ...list, indent: 2 }));
  }
  const inside = childrenOf(lines, spec);
  const old = blockOf(lines, 'traffic', inside);
  if (!old) {
    const end = lastContent(lines, inside.from, inside.to) + 1;
    const key = `${' '.repeat(inside.indent)}traffic:`;
    return lines.toSpliced(end, 0, key, ...newItems({ ...list, indent: inside.indent }));
  }
  const end = lastContent(lines, old.from, old.to) + 1;
  const body = lines.slice(old.from + 1, end);
  const items = keepsItems ? editItems(body, { ...list, indent: old.indent }) : undefined;
  const head = /^(\s*['"]?traffic['"]?:)\s*(#.*)?$/.exec(lines[old.from] ?? '');
  const key = head ? (lines[old.from] ?? '') : `${' '.repeat(old.indent)}traffic:`;
  return lines.toSpliced(
    old.from,
    end - old.from,
    key,
    ...(items ?? newItems({ ...list, indent: old.indent })),
  );
}

/** The lines of a key and its value, as far as its indentation shows. */
function blockOf(lines: readonly string[], key: string, within: Block): Block | undefined {
  const pattern = new RegExp(`^ {${within.indent}}(?:${key}|'${key}'|"${key}"):(?:\\s|$)`);
  for (let from = within.from; from < within.to; from++) {
    if (!pattern.test(lines[from] ?? '')) continue;
    let to = from + 1;
    while (to < within.to && isInside(lines[to] ?? '', within.indent)) to++;
    return { from, to, indent: within.indent };
  }
  return undefined;
}

/** A list may stand at the indentation of its key. */
const isInside = (line: string, indent: number): boolean =>
  !isContent(line) || indentOf(line) > indent || (indentOf(line) === indent && /^ *-(\s|$)/.test(line));

function childrenOf(lines: readonly string[], block: Block): Block {
  const rows = lines.slice(block.from + 1, block.to);
  const first = rows.find(isContent);
  return {
    from: block.from + 1,
    to: block.to,
    indent: first === undefined ? block.indent + 2 : indentOf(first),
  };
}

function lastContent(lines: readonly string[], from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) if (isContent(lines[at] ?? '')) return at;
  return from - 1;
}

/** Whether the document writes lists below their key with more indentation, as most do. */
function indentsLists(lines: readonly string[]): boolean {
  const content = lines.filter(isContent);
  const at = content.findIndex(
    (line, index) => /:\s*(#.*)?$/.test(line) && /^ *- /.test(content[index + 1] ?? ''),
  );
  return at < 0 || indentOf(content[at + 1] ?? '') > indentOf(content[at] ?? '');
}

/** As YAML reads it back: a tag may be called `on`, and a name `null`. */
const scalar = (value: string | number | boolean): string => print(value).trim();

import { FairleadError } from '#base/std';
import { Composer, type DuplicateKeys, firstOffset } from './compose.ts';
import type { Dialect } from './dialect.ts';
import { readEvents } from './events.ts';
import { label, placed, positionAt, YamlError } from './fault.ts';
import { readJsonStream } from './json-stream.ts';
import { defaultLimits, openBudget, type YamlBudget, type YamlLimits } from './limits.ts';
import { firstDocument, splitStream, type YamlChunk } from './split.ts';
import { decodeUtf8 } from './utf8.ts';

/** How to read a text; everything has a default. */
export type ReadOptions = {
  /** The reading of plain scalars, keys and merges: v2 is Kubernetes and Helm (the default), v3 Kustomize. */
  readonly dialect?: Dialect;
  /** Left out, it is what the dialect's own readers do: `lastWins` for v2, `reject` for v3. */
  readonly duplicateKeys?: DuplicateKeys;
  readonly limits?: Partial<YamlLimits>;
  /** The name of the text in errors, such as a file's name. */
  readonly name?: string;
};

/** One document of a stream. An empty one has the value null, like one that is `null`: skip both. */
export type YamlDocument = {
  readonly value: unknown;
  /** The line of the stream, from 1, on which the document's content begins. */
  readonly line: number;
};

type Session = {
  readonly dialect: Dialect;
  readonly duplicateKeys: DuplicateKeys;
  readonly budget: YamlBudget;
  readonly name: string | undefined;
};

/** The first document of a text; null when it is empty. compat: what follows the document is not read. */
export function parse(input: string | Uint8Array, options: ReadOptions = {}): unknown {
  const session = open(options);
  const text = textOf(input, session);
  return readChunk(firstDocument(text), session)?.value ?? null;
}

/** All documents of a stream, in order. Throws at the first that cannot be read. */
export function parseAll(input: string | Uint8Array, options: ReadOptions = {}): YamlDocument[] {
  return [...readDocuments(input, options)];
}

/** Like parseAll, one document at a time: those above a broken one arrive before it throws. */
export function* readDocuments(
  input: string | Uint8Array,
  options: ReadOptions = {},
): Generator<YamlDocument> {
  const session = open(options);
  const text = lastLineEnded(textOf(input, session), session.dialect);
  const json = guarded(text, session, () => readJson(text, session));
  if (json) {
    yield* json;
    return;
  }
  const chunks = splitStream(text);
  for (;;) {
    const next = guarded(text, session, () => chunks.next());
    if (next.done) return;
    const document = readChunk(next.value, session);
    if (document) yield document;
  }
}

function open(options: ReadOptions): Session {
  const dialect = options.dialect ?? 'v2';
  return {
    dialect,
    duplicateKeys: options.duplicateKeys ?? (dialect === 'v2' ? 'lastWins' : 'reject'),
    budget: openBudget({ ...defaultLimits, ...options.limits }),
    name: options.name,
  };
}

function textOf(input: string | Uint8Array, { budget, name }: Session): string {
  const { bytes } = budget.limits;
  if (input.length > bytes) {
    throw new FairleadError('LimitExceeded', `${label(name)}yaml is larger than ${bytes} bytes`);
  }
  const text = typeof input === 'string' ? input : decodeUtf8(input, label(name));
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** compat sources DIR-9: Kubernetes reads a stream by lines and ends the last one itself; Kustomize takes it as it is. */
const lastLineEnded = (text: string, dialect: Dialect): string =>
  dialect === 'v2' && !text.endsWith('\n') ? `${text}\n` : text;

/** Undefined when the stream is not JSON, or when JSON's own lenient reader would not do. */
function readJson(text: string, { budget, duplicateKeys }: Session): YamlDocument[] | undefined {
  if (duplicateKeys === 'reject') return undefined;
  const spent = budget.nodes;
  const chunks = readJsonStream(text, budget);
  if (!chunks) budget.nodes = spent;
  let line = 1;
  let counted = 0;
  return chunks?.map(({ value, offset }) => {
    spendDocument(budget, offset);
    line += positionAt(text.slice(counted, offset), offset).line - 1;
    counted = offset;
    return { value, line };
  });
}

/** Undefined when the chunk has no document: nothing, or comments alone. */
function readChunk(chunk: YamlChunk, session: Session): YamlDocument | undefined {
  const { budget } = session;
  const place = { document: budget.documents + 1, line: chunk.line, name: session.name };
  let text = chunk.text;
  try {
    const read = readEvents(text, budget.limits);
    if (read.events.length === 0) return undefined;
    text = read.text;
    spendDocument(budget, 0);
    const value = new Composer({ ...session, text }, read.events[0]).run(read.events, 1);
    const { line } = positionAt(text, firstOffset(read.events[1]) ?? 0);
    return { value, line: chunk.line + line - 1 };
  } catch (error) {
    throw placed(error, text, place);
  }
}

function spendDocument(budget: YamlBudget, offset: number): void {
  budget.documents += 1;
  if (budget.documents > budget.limits.documents) {
    throw new YamlError('LimitExceeded', offset, `more than ${budget.limits.documents} documents`);
  }
}

/** Runs what may fault somewhere in the whole stream. */
function guarded<T>(text: string, session: Session, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw placed(error, text, { document: session.budget.documents + 1, line: 1, name: session.name });
  }
}

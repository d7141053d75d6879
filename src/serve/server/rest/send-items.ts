import { printJson } from '#base/std';
import { slices } from '#platform/workers';
import { compressedFrom, gzipHeaders, isGzipAccepted, type RestExchange, sendPieces } from './body.ts';
import { GzipFile, storedPart } from './gzip-parts.ts';
import { ItemRuns } from './item-runs.ts';
import { PrintedItems } from './printed-items.ts';
import { write } from './stream.ts';

/** A list whose items are made, or found, as they are sent. */
export type SentItems = {
  /** Of the list; left out: it has none. */
  readonly metadata?: object;
  readonly items: Iterable<unknown>;
  /** Whether the same objects are sent again with the next list, so that their texts are worth keeping. */
  readonly areLasting?: boolean;
};

/** compat server §2.3: characters that a page could interpret as markup are escaped. */
export function escapedJson(value: unknown): string {
  const text = printJson(value);
  // three searches for one character are much quicker than one for a class of them
  if (!text.includes('<') && !text.includes('>') && !text.includes('&')) return text;
  return text.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

/** The texts of some thousands of applications, and some ten thousand compressed. */
const texts = new PrintedItems<string>(8 * 1024 * 1024);
const runs = new ItemRuns(texts, escapedJson, 4 * 1024 * 1024);

/** compat server §2.6: the metadata of a list is sent whichever fields of its items are wanted. */
const headOf = ({ metadata }: SentItems): string =>
  metadata ? `{"metadata":${escapedJson(metadata)},"items":[` : '{"items":[';

/** Sends a list that may be too large for memory. */
export async function sendItems(exchange: RestExchange, list: SentItems): Promise<void> {
  if (list.areLasting && isGzipAccepted(exchange.request)) await sendRuns(exchange, list);
  else await sendPieces(exchange, textsOf(list));
}

function* textsOf(list: SentItems): Generator<string> {
  yield headOf(list);
  let separator = '';
  for (const item of list.items) {
    yield separator;
    yield list.areLasting ? texts.printed(item, escapedJson) : escapedJson(item);
    separator = ',';
  }
  yield ']}';
}

/** Most of a list is what it was the last time: it is sent as it was compressed then. */
async function sendRuns(exchange: RestExchange, list: SentItems): Promise<void> {
  const { response } = exchange;
  const rest = runs.runsOf(list.items as Iterable<object>);
  const begun = taken(rest, 2);
  if (begun.length < 2 && begun.every((run) => run.length < compressedFrom)) {
    await sendPieces(exchange, [headOf(list), ...begun.map((run) => runs.textOf(run)), ']}']);
    return;
  }
  const [file, pause] = [new GzipFile(), slices()];
  response.writeHead(200, gzipHeaders);
  await write(response, Buffer.concat([file.head, file.add(storedPart(headOf(list)))]));
  let separator = storedPart('');
  for (const run of following(begun, rest)) {
    const part = await runs.partOf(run);
    await write(response, Buffer.concat([file.add(separator), file.add(part)]));
    await pause();
    if (response.destroyed) return;
    separator = comma;
  }
  response.end(Buffer.concat([file.add(storedPart(']}')), file.end()]));
}

const comma = storedPart(',');

function taken<T>(from: Iterator<T>, most: number): T[] {
  const found: T[] = [];
  for (let next = from.next(); !next.done; next = from.next()) {
    found.push(next.value);
    if (found.length === most) break;
  }
  return found;
}

function* following<T>(first: readonly T[], rest: Iterable<T>): Generator<T> {
  yield* first;
  yield* rest;
}

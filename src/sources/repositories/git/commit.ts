import { decodeText } from '#base/model';
import { FairleadError } from '#base/std';
import type { GitObject, ObjectReader } from './objects.ts';

/** Author, date and message of a commit. */
export type CommitDetails = {
  readonly commit: string;
  readonly author: string;
  readonly email: string;
  readonly date: Date;
  readonly message: string;
  readonly parents: readonly string[];
};

/** A commit as read from its object; `tree` is the hash of its root folder. */
export type Commit = CommitDetails & { readonly tree: string };

const mostTags = 5;
const person = /^(.*) <([^>]*)> (-?\d+) [+-]\d{4}$/;

/** `name <email>` of the author of a commit or a tag; empty when its header has none. */
export function personIn(head: string): string {
  const fields = headers(head);
  const [, name = '', email = ''] =
    person.exec((fields.get('author') ?? fields.get('tagger'))?.[0] ?? '') ?? [];
  return name === '' && email === '' ? '' : `${name} <${email}>`;
}

/** Reads a commit, also through an annotated tag; undefined when the mirror does not have it. */
export async function readCommit(objects: ObjectReader, hash: string): Promise<Commit | undefined> {
  let at = hash;
  for (let tags = 0; tags <= mostTags; tags++) {
    const object = await objects.read(at);
    if (!object) return undefined;
    if (object.type === 'commit') return parseCommit(at, object);
    if (object.type !== 'tag') break;
    at = headers(textOf(object)).get('object')?.[0] ?? '';
  }
  throw new FairleadError(
    'InvalidSpec',
    `revision ${hash} names no commit: give a commit, a branch or a tag`,
  );
}

function parseCommit(commit: string, object: GitObject): Commit {
  const text = textOf(object);
  const fields = headers(text);
  const [, author = '', email = '', seconds = '0'] = person.exec(fields.get('author')?.[0] ?? '') ?? [];
  const end = text.indexOf('\n\n');
  return {
    commit,
    tree: fields.get('tree')?.[0] ?? '',
    author,
    email,
    date: new Date(Number(seconds) * 1000),
    message: end < 0 ? '' : text.slice(end + 2).trim(),
    parents: fields.get('parent') ?? [],
  };
}

const textOf = ({ bytes }: GitObject): string => decodeText(bytes);

/** `name value` lines up to the first empty one; a line that begins with a blank continues the previous one. */
function headers(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const row of text.split('\n')) {
    if (row === '') break;
    const space = row.indexOf(' ');
    if (space <= 0) continue;
    const name = row.slice(0, space);
    const value = row.slice(space + 1);
    const known = fields.get(name);
    if (known) known.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

import type { DocumentDirective } from 'js-yaml/browser';
import { decodeBase64 } from './base64.ts';
import { type CoreTag, type Dialect, resolvePlain, resolveTagged } from './dialect.ts';

const core = 'tag:yaml.org,2002:';
const coreTags: ReadonlySet<string> = new Set<CoreTag>(['str', 'int', 'float', 'bool', 'null', 'timestamp']);
const isCoreTag = (name: string): name is CoreTag => coreTags.has(name);

export type TagHandles = ReadonlyMap<string, string>;

/** The `%TAG` handles of a document, over the two that every document has. */
export function tagHandles(directives: readonly DocumentDirective[]): TagHandles {
  const handles = new Map([['!!', core]]);
  for (const directive of directives) {
    if (directive.kind === 'tag') handles.set(directive.handle, directive.prefix);
  }
  return handles;
}

/** The part of a tag behind `tag:yaml.org,2002:`; undefined for the tags of applications. */
export function coreName(tag: string, handles: TagHandles): string | undefined {
  const end = tag.indexOf('!', 1);
  const handle = end < 0 ? '!' : tag.slice(0, end + 1);
  const full = tag.startsWith('!<')
    ? tag.slice(2, -1)
    : (handles.get(handle) ?? handle) + tag.slice(handle.length);
  return full.startsWith(core) ? full.slice(core.length) : undefined;
}

export type Tagged = { readonly source: string; readonly tag: string; readonly isPlain: boolean };

/**
 * A scalar with an explicit tag; undefined when the text does not fit it. Tags unknown to go-yaml (`!Ref`,
 * `!vault`, …) leave the text alone, as there.
 */
export function resolveExplicit(scalar: Tagged, handles: TagHandles, dialect: Dialect): unknown {
  const { source, tag, isPlain } = scalar;
  if (tag === '!') return dialect === 'v3' && isPlain ? resolvePlain(source, dialect) : source;
  const name = coreName(tag, handles);
  if (name === 'binary') return decodeBase64(source);
  return name !== undefined && isCoreTag(name) ? resolveTagged(source, name, dialect) : source;
}

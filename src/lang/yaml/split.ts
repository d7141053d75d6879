import { YamlError } from './fault.ts';

/** One document's text, and where in the stream it begins: the line, from 1, and the UTF-16 offset. */
export type YamlChunk = { readonly text: string; readonly line: number; readonly offset: number };

/** How to read a line that starts with `---` and continues, like `---x`. */
type Glued = 'fault' | 'text';

const mark = '---';
const isBlank = (char: string | undefined): boolean =>
  char === undefined || char === '\n' || char === '\r' || char === ' ' || char === '\t';

/** Offset of the next marker line behind `from`; the text's length when there is none. */
function nextMark(text: string, from: number, glued: Glued): number {
  for (let at = text.indexOf(`\n${mark}`, from); at >= 0; at = text.indexOf(`\n${mark}`, at + 1)) {
    if (isBlank(text[at + 1 + mark.length])) return at + 1;
    if (glued === 'fault') {
      throw new YamlError(
        'RenderFailed',
        at + 1,
        `a line that starts with '${mark}' must separate documents`,
      );
    }
  }
  return text.length;
}

/** Whether there are only comments and directives such as `%YAML 1.1` before `end`: then the document follows it. */
function isPreamble(text: string, end: number): boolean {
  for (let at = 0; at < end; at = text.indexOf('\n', at) + 1) {
    if (text[at] === '%') continue;
    while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at += 1;
    if (text[at] !== '#' && text[at] !== '\n') return false;
  }
  return true;
}

function documentEnd(text: string, start: number, glued: Glued): number {
  const end = nextMark(text, start, glued);
  const isFirst = start === 0 && end < text.length;
  return isFirst && isPreamble(text, end) ? nextMark(text, end, glued) : end;
}

const countLines = (text: string, from: number, to: number): number => {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};

const endMark = '...';

/** compat: nothing between a line `...` and the next `---` is read, by Kubernetes or by Kustomize. */
function uptoEndMark(text: string): string {
  for (let at = text.indexOf(`\n${endMark}`); at >= 0; at = text.indexOf(`\n${endMark}`, at + 1)) {
    if (isBlank(text[at + 1 + endMark.length])) return text.slice(0, at + 1);
  }
  return text;
}

/**
 * A stream cut at the lines that start with `---`; each piece keeps its own marker line.
 * compat sources DIR-9: Kubernetes and Kustomize both cut before they parse, so a document that does not parse does not
 * spoil those above it, and both refuse a line like `---x`: a Fault, with its offset in the whole stream.
 */
export function* splitStream(text: string): Generator<YamlChunk> {
  let start = 0;
  let line = 1;
  do {
    const end = documentEnd(text, start, 'fault');
    yield { text: uptoEndMark(text.slice(start, end)), line, offset: start };
    line += countLines(text, start, end);
    start = end;
  } while (start < text.length);
}

/** compat: sigs.k8s.io/yaml reads the first document and ignores the rest. `---x` is a scalar here. */
export const firstDocument = (text: string): YamlChunk => ({
  text: uptoEndMark(text.slice(0, documentEnd(text, 0, 'text'))),
  line: 1,
  offset: 0,
});

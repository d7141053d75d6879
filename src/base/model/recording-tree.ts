import { FairleadError } from '#base/std';
import type { FileTree } from './file-tree.ts';
import { decodeText } from './text.ts';

type Question = 'has' | 'kind' | 'list' | 'resolve' | 'link' | 'isExecutable' | 'size' | 'hash' | 'content';

/** One lookup in a tree and, as text, its result. Contents are recorded by their hash. */
export type TreeAnswer = { readonly question: Question; readonly path: string; readonly answer: string };

/** Every lookup of a render in a tree: another tree with the same results renders the same. */
export type TreeTrace = readonly TreeAnswer[];

export type Recording = {
  readonly tree: FileTree;
  /** The lookups so far, each once, in the order of the first. */
  trace(): TreeTrace;
};

/** Wraps a tree so that exactly what is read, listed or probed is recorded. */
export function recordingTree(tree: FileTree): Recording {
  const answers = new Map<string, TreeAnswer>();
  const note = (question: Question, path: string): void => {
    const key = `${question} ${path}`;
    if (!answers.has(key)) answers.set(key, { question, path, answer: answerOf(tree, question, path) });
  };
  const noted = <T>(question: Question, path: string, value: () => T): T => {
    note(question, path);
    return value();
  };
  const read = async (path: string): Promise<Uint8Array> => noted('content', path, () => tree.read(path));
  return {
    trace: () => [...answers.values()],
    tree: {
      has: (path) => noted('has', path, () => tree.has(path)),
      kind: (path) => noted('kind', path, () => tree.kind(path)),
      list: (path) => noted('list', path, () => tree.list(path)),
      resolve: (path) => noted('resolve', path, () => tree.resolve(path)),
      link: (path) => noted('link', path, () => tree.link(path)),
      isExecutable: (path) => noted('isExecutable', path, () => tree.isExecutable(path)),
      size: (path) => noted('size', path, () => tree.size(path)),
      hash: (path) => noted('hash', path, () => tree.hash(path)),
      read,
      text: async (path) => decodeText(await read(path)),
    },
  };
}

/** Whether a tree would return the recorded result for every lookup, without reading any content. */
export function answersAlike(tree: FileTree, trace: TreeTrace): boolean {
  return trace.every(({ question, path, answer }) => answerOf(tree, question, path) === answer);
}

function answerOf(tree: FileTree, question: Question, path: string): string {
  try {
    if (question === 'list') return tree.list(path).join('/');
    if (question === 'content') return contentHash(tree, path);
    return String(tree[question](path));
  } catch (error) {
    return `! ${FairleadError.from(error).code}`;
  }
}

function contentHash(tree: FileTree, path: string): string {
  const real = tree.resolve(path);
  return real === undefined ? 'undefined' : `${tree.kind(real)} ${tree.hash(real)}`;
}

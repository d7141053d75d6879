/** An error in an expression, and its position. */
export type Issue = { readonly at: number; readonly message: string };

/** Stops a parse at once; its author gets the issue. */
export class Unparsable extends Error {
  readonly issue: Issue;
  constructor(issue: Issue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Issues in Kubernetes' format: position, message, the line, and a caret under the position. */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const sorted = issues.toSorted((a, b) => a.at - b.at);
  return sorted.map((issue) => printIssue(source, issue)).join('\n');
}

function printIssue(source: string, { at, message }: Issue): string {
  const before = source.slice(0, at);
  const line = before.split('\n').length;
  const start = before.lastIndexOf('\n') + 1;
  const text = source.slice(start).split('\n', 1)[0] ?? '';
  const column = [...source.slice(start, at)];
  const head = `ERROR: <input>:${line}:${column.length + 1}: ${message}`;
  const dots = column.map((char) => (isWide(char) ? '．' : '.')).join('');
  const under = [...text].slice(column.length, column.length + 1);
  const caret = under[0] !== undefined && isWide(under[0]) ? '＾' : '^';
  return `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${dots}${caret}`;
}

const isWide = (char: string): boolean => char.length > 1 || char.charCodeAt(0) > 127;

/** The checks that comments in one file turn off. */
export type IgnoreComments = {
  /** The checks that are off for a finding on this line. */
  has(id: string, line: number): boolean;
  /** Comments that name no check, with their line. */
  readonly unknown: readonly { readonly line: number; readonly message: string }[];
};

const none: IgnoreComments = { has: () => false, unknown: [] };
const mark = 'fairlead-doctor:';
const comment = /(^|\s)#\s*fairlead-doctor:\s*(ignore-file|ignore)?\s*([^(#]*)/;

/**
 * `# fairlead-doctor: ignore ID, ID (reason)` is about its own line and, alone on a line, about the next that is no comment.
 * `ignore-file` is about the whole file.
 */
export function ignoreComments(text: string, known: ReadonlySet<string>): IgnoreComments {
  if (!text.includes(mark)) return none;
  const lines = text.split('\n');
  const byLine = new Map<number, Set<string>>();
  const everywhere = new Set<string>();
  const unknown: { line: number; message: string }[] = [];
  for (const [at, line] of lines.entries()) {
    const { verb, ids } = readComment(line) ?? {};
    if (!ids) continue;
    const strange = ids.filter((id) => !known.has(id));
    const problem = problemOf(verb, ids, strange);
    if (problem !== undefined) unknown.push({ line: at + 1, message: problem });
    const sets = verb === 'ignore-file' ? [everywhere] : linesOf(byLine, lines, at);
    for (const set of sets) addAll(set, ids);
  }
  return { has: (id, line) => everywhere.has(id) || byLine.get(line)?.has(id) === true, unknown };
}

function readComment(line: string): { verb: string | undefined; ids: readonly string[] } | undefined {
  const [whole, , verb, rest = ''] = comment.exec(line) ?? [];
  return whole === undefined ? undefined : { verb, ids: rest.split(/[\s,]+/).filter((id) => id !== '') };
}

function addAll(set: Set<string>, ids: readonly string[]): void {
  for (const id of ids) set.add(id);
}

function problemOf(
  verb: string | undefined,
  ids: readonly string[],
  strange: readonly string[],
): string | undefined {
  if (verb === undefined) return 'the comment has no effect: write ignore or ignore-file, and the checks';
  if (ids.length === 0) return 'the comment names no check, and ignores nothing';
  return strange.length > 0 ? `there is no check ${strange.join(', ')}` : undefined;
}

function linesOf(byLine: Map<number, Set<string>>, lines: readonly string[], at: number): Set<string>[] {
  const numbers = [at + 1];
  if (/^\s*#/.test(lines[at] ?? '')) {
    let next = at + 1;
    while (next < lines.length && /^\s*(?:#|$)/.test(lines[next] ?? '')) next += 1;
    numbers.push(next + 1);
  }
  return numbers.map((line) => {
    const known = byLine.get(line) ?? new Set<string>();
    byLine.set(line, known);
    return known;
  });
}

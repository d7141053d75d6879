/** A message as users read it: the cause, and the whole text where that has more. */
export type Cause = {
  readonly text: string;
  /** Absent: the cause is all there is. */
  readonly whole?: string;
};

/** What a program adds around an error that it passes on. Each caller adds one; the cause stands inside. */
const wrapping = [
  /^rpc error: code = \w+ desc = /i,
  /^render failure: /,
  /^`[^`]*` failed(?: \(?exit (?:status|code) \d+\)?)?:? /,
  /^(?:error|failed|unable|could not|cannot)\b[^:"'`]*: /i,
  /^(?:Error|ERROR): /,
  /^plan error: /,
];

/** The cause inside a message: the remarks of each caller that passed the error on are left out. */
export function innermost(message: string): string {
  for (const wrap of wrapping) {
    const rest = message.replace(wrap, '');
    if (rest !== message && rest.trim() !== '') return innermost(rest);
  }
  return message;
}

type Reader = (message: string) => string | undefined;

/** How the programs that render manifests write what went wrong; the last match is the innermost. */
const readers: readonly Reader[] = [
  (text) => {
    const path = lastOf(text, /(?:lstat|stat|open) ([^\s:']+): no such file or directory/g);
    return path && `${path} does not exist`;
  },
  (text) => {
    const [, file, why] = /YAML parse error on ([^\s:]+): (?:error [^:]*: )?(.*)/.exec(text) ?? [];
    return file && `${file}: ${why?.replace(/^yaml: /, '')}`;
  },
  (text) => {
    const [, at, rest = ''] =
      /(?:template: |execution error at \()([\w./-]+:\d+(?::\d+)?)\)?: (.*)/.exec(text) ?? [];
    return at && `${at}: ${rest.split(/: (?=(?:error calling|nil pointer|wrong type|map has no))/).at(-1)}`;
  },
];

const lastOf = (text: string, pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[1];

const bearable = 160;

/** The cause of a failure that programs inside programs reported, and the rest of their words. */
export function causeOf(message: string): Cause {
  const trimmed = message.trim();
  const [line = ''] = trimmed.split('\n');
  const known = readers.map((read) => read(line)).find((one) => one !== undefined);
  const text = known ?? shortened(innermost(line));
  return text === trimmed ? { text } : { text, whole: trimmed };
}

/** Of a chain too long to read, the end: each caller writes in front of the error that it passes on. */
function shortened(text: string): string {
  if (text.length <= bearable || /["'`]/.test(text)) return text;
  const parts = text.split(': ');
  const last: string[] = [];
  while (parts.length > 0 && [parts.at(-1), ...last].join(': ').length <= bearable) {
    last.unshift(parts.pop() ?? '');
  }
  return last.length > 0 ? last.join(': ') : text;
}

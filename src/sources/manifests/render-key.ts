import { createHash } from 'node:crypto';
import { printJson } from '#base/std';

/**
 * The parameters of a render, beyond the files: named parts that together decide the result. `subject` identifies the
 * application and source, whatever the parameters; it finds the previous key of the same source.
 */
export type RenderKey = {
  readonly key: string;
  readonly subject: string;
  readonly parts: Readonly<Record<string, unknown>>;
};

/** Parts as they are stored: in plain text if they may be shown, else by hash. */
export type StoredKeyParts = Readonly<Record<string, string>>;

/** Parts that are never secret, whose values are worth showing. */
const open: ReadonlySet<string> = new Set([
  'type',
  'helm version',
  'kustomize version',
  'kube version',
  'release name',
  'namespace',
]);

export function renderKeyOf(subject: readonly string[], parts: Readonly<Record<string, unknown>>): RenderKey {
  return {
    key: sumOf(printJson([subject.slice(1), parts])),
    // needed only on a cache miss
    get subject() {
      return sumOf(printJson(subject));
    },
    parts,
  };
}

export function storedParts({ parts }: RenderKey): StoredKeyParts {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      return [name, open.has(name) ? `=${String(part)}` : sumOf(printJson(part ?? null))];
    }),
  );
}

/** The first part that changed, without its value unless that is safe to show. */
export function changedPart(before: StoredKeyParts, now: StoredKeyParts): string | undefined {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  for (const name of names) {
    const [was, is] = [before[name], now[name]];
    if (was === is) continue;
    return isShown(was) && isShown(is)
      ? `${name} changed from ${was.slice(1)} to ${is.slice(1)}`
      : `${name} changed`;
  }
  return undefined;
}

const isShown = (part: string | undefined): part is string => part !== undefined && /^=./.test(part);

/** The parts of a block of options, one for each option that is set. */
export function optionParts(block: string, options: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([field, value]) => [`source.${block}.${field}`, value]),
  );
}

export const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

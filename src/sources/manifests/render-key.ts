import { createHash } from 'node:crypto';
import { printJson } from '#base/std';

/**
 * What a render is asked to do, beyond the files: named parts that together decide the result. `subject` is who asks
 * for what, whatever the parameters; it is how the last question about the same thing is found again.
 */
export type RenderKey = {
  readonly key: string;
  readonly subject: string;
  readonly parts: Readonly<Record<string, unknown>>;
};

/** Parts as they are remembered: what may be shown as it is, anything else by its hash alone. */
export type StoredKeyParts = Readonly<Record<string, string>>;

/** Parts that are never secret, and worth more than the news that they changed. */
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
    // wanted only when there is no answer yet
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

/** The first part that is not as it was, told without its value unless that is known to be harmless. */
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

import { type ApplicationSet, annotation } from '#base/model';

type Deletions = { readonly deleted: number; readonly owned: number };

/**
 * dev sources ASN-5: why a pass must not be carried out that deletes so many of the set's applications; undefined: it may.
 * Without the annotation it always may; an annotation that cannot be read blocks every deletion.
 */
export function deletionBlocked(
  { metadata }: ApplicationSet,
  { deleted, owned }: Deletions,
): string | undefined {
  const text = metadata.annotations?.[annotation.maxDeletePercent];
  if (text === undefined || deleted === 0) return undefined;
  const percent = percentIn(text);
  const share = `${deleted} of ${owned} applications would be deleted`;
  if (percent === undefined) {
    return `nothing was changed: ${share} and the annotation ${annotation.maxDeletePercent} is "${text}"; write a number from 0 to 100`;
  }
  if (deleted * 100 <= owned * percent) return undefined;
  return (
    `nothing was changed: ${share}, and the annotation ${annotation.maxDeletePercent} allows ${percent} percent; ` +
    'check the generators, then raise or remove the annotation to go ahead'
  );
}

/** A share in percent, with or without the sign; undefined: it is none. */
export function percentIn(text: string): number | undefined {
  const [, digits] = /^\s*(\d{1,3})\s*%?\s*$/.exec(text) ?? [];
  const percent = digits === undefined ? Number.NaN : Number(digits);
  return percent <= 100 ? percent : undefined;
}

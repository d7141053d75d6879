/**
 * A text of at most so many characters: of a longer one both ends, which usually name the subject and the
 * outcome.
 */
export function abridge(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = Math.floor((longest - 3) / 2);
  return `${text.slice(0, longest - 3 - end)} … ${text.slice(text.length - end)}`;
}

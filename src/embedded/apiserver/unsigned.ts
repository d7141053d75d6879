/** Why Go cannot parse a text as an unsigned 64-bit number; undefined when it can. */
export function unsignedProblem(text: string): string | undefined {
  const isNumber = /^\d+$/.test(text);
  // most texts are short, and a short number is never too large
  if (isNumber && (text.length < 20 || BigInt(text) < 2n ** 64n)) return undefined;
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
}

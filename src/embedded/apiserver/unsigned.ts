/** Why Go would not read a text as an unsigned number of 64 bits; undefined when it would. */
export function unsignedProblem(text: string): string | undefined {
  const isNumber = /^\d+$/.test(text);
  // most are short, and none that is short is too large
  if (isNumber && (text.length < 20 || BigInt(text) < 2n ** 64n)) return undefined;
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
}

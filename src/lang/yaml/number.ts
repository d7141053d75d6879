/**
 * Numbers as Go's strconv reads them on behalf of go-yaml: an integer first (base by prefix, `_` anywhere), then a
 * decimal float. What fits neither an int64 nor a uint64 falls through to float, and what overflows that is text.
 */
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))$/;
// the second chance go-yaml gives a binary, and version 3 an octal: what follows the prefix may have its own sign
const signedBinary = /^0b([-+])([01]+)$/;
const signedOctal = /^0o([-+])([0-7]+)$/;
const float = /^[-+]?(?=\.?\d)\d*(?:\.\d*)?(?:[eE][-+]?\d+)?$/;
const leadingZeros = /^0+(?=.)/;

const maxInt64 = 2n ** 63n - 1n;
const maxUint64 = 2n ** 64n - 1n;
const longestDigits = 64; // an integer of 64 bits written in base 2

/** A double where a double is exact, a bigint where not. */
const exact = (value: bigint): number | bigint => {
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
};

function fromDigits(sign: string, prefix: string, digits: string): number | bigint | undefined {
  const significant = digits.replace(leadingZeros, '');
  if (significant.length > longestDigits) return undefined;
  const size = BigInt(prefix + significant);
  // Go's unsigned parser takes no sign at all, so +9223372036854775808 is a float
  if (size > (sign === '' ? maxUint64 : sign === '-' ? maxInt64 + 1n : maxInt64)) return undefined;
  return exact(sign === '-' ? -size : size);
}

/** The integer that Go's ParseInt and ParseUint see in text without underscores; undefined when there is none. */
export function goInteger(text: string): number | bigint | undefined {
  const found = integer.exec(text);
  if (!found) return undefined;
  const [, sign = '', hex, octal, binary, decimal] = found;
  if (hex !== undefined) return fromDigits(sign, '0x', hex);
  if (octal !== undefined) return fromDigits(sign, '0o', octal);
  if (binary !== undefined) return fromDigits(sign, '0b', binary);
  return fromDigits(sign, '', decimal ?? '');
}

function goFloat(text: string): number | undefined {
  if (!float.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value + 0 : undefined;
}

function oddlySigned(text: string, octals: boolean): number | bigint | undefined {
  const binary = signedBinary.exec(text);
  if (binary) return fromDigits(binary[1] ?? '', '0b', binary[2] ?? '');
  const octal = octals ? signedOctal.exec(text) : null;
  return octal ? fromDigits(octal[1] ?? '', '0o', octal[2] ?? '') : undefined;
}

/** go-yaml's value of a plain scalar that begins with a digit or a sign; undefined when it is text. */
export function goNumber(text: string, signedOctals: boolean): number | bigint | undefined {
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  return goInteger(plain) ?? goFloat(plain) ?? oddlySigned(plain, signedOctals);
}

const fraction = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;

/** go-yaml's value of a plain scalar that begins with a dot. */
export function goFraction(text: string): number | undefined {
  return fraction.test(text) ? goFloat(text.replaceAll('_', '')) : undefined;
}

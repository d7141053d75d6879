/** The DER elements that certificates consist of. Each function returns one whole element. */

const element = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
};

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) digits.unshift(rest & 255);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
export const set = (...parts: readonly Buffer[]): Buffer => element(0x31, ...parts);
export const octets = (content: Buffer): Buffer => element(0x04, content);
export const text = (value: string): Buffer => element(0x0c, Buffer.from(value));
export const yes: Buffer = element(0x01, Buffer.from([0xff]));

/** The bits of whole bytes; `unused` of the last one do not count. */
export const bits = (content: Buffer, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content);

/** A non-negative number, from its bytes. */
export const integer = (bytes: Uint8Array): Buffer =>
  element(0x02, Buffer.from((bytes[0] ?? 0) & 0x80 ? [0] : []), Buffer.from(bytes));

/** Explicitly tagged: `[n] EXPLICIT`. */
export const tagged = (number: number, content: Buffer): Buffer => element(0xa0 | number, content);

/** Implicitly tagged and plain: `[n] IMPLICIT`. */
export const implicit = (number: number, content: Buffer): Buffer => element(0x80 | number, content);

/** `1.2.840.10045.4.3.2` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(septets)]));
}

function septets(value: number): number[] {
  const digits = [value & 127];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) digits.unshift((rest & 127) | 0x80);
  return digits;
}

/** A time, to the second. Years before 2050 have two digits, as certificates require. */
export function moment(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

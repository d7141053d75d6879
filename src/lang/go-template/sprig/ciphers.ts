import { fromBase64, toBase64 } from '#base/std';
import { fn } from '../functions.ts';
import { fromBytes, toBytes } from '../text.ts';
import { type CallContext, GoError, type GoFunction, type TemplateCiphers } from '../value.ts';
import { problemIn64 } from './hashes.ts';
import { randomBytes } from './random.ts';

/** Passwords that are derived and texts that are encrypted. */
export const cipherFunctions: [string, GoFunction][] = [
  [
    'derivePassword',
    fn('uint32 string string string string', (run, counter, ...texts) => {
      const [kind, password, user, site] = texts;
      return derivePassword(run, { counter: Number(counter.value), kind, password, user, site });
    }),
  ],
  ['encryptAES', fn('string string', (run, password, text) => encryptAes(run, password, text))],
  ['decryptAES', fn('string string', (run, password, text) => decryptAes(run, password, text))],
];

function ciphersOf(run: CallContext): TemplateCiphers {
  if (!run.host.ciphers) throw new GoError('ciphers are not available to this template');
  return run.host.ciphers;
}

/** The shapes of a derived password by its kind: a letter of a shape is a class of characters. */
const shapes: ReadonlyMap<string, readonly string[]> = new Map([
  ['maximum', ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno']],
  ['long', longShapes()],
  ['medium', ['CvcnoCvc', 'CvcCvcno']],
  ['short', ['Cvcn']],
  ['basic', ['aaanaaan', 'aannaaan', 'aaannaaa']],
  ['pin', ['nnnn']],
]);

/** Three syllables of which some end in two consonants, with a digit and a sign behind one of them. */
function longShapes(): string[] {
  const [open, closed] = ['Cvcv', 'Cvcc'];
  const words = [
    [open, open, open],
    [closed, open, open],
    [open, closed, open],
    [open, open, closed],
    [closed, closed, open],
    [open, closed, closed],
    [closed, open, closed],
  ];
  return words.flatMap(([a, b, c]) => [`${a}no${b}${c}`, `${a}${b}no${c}`, `${a}${b}${c}no`]);
}

const [vowels, consonants, digits] = ['aeiou', 'bcdfghjklmnpqrstvwxyz', '0123456789'];
const letters = `${vowels.toUpperCase()}${vowels}${consonants.toUpperCase()}${consonants}`;
const classes: Readonly<Record<string, string>> = {
  C: consonants.toUpperCase(),
  v: vowels,
  c: consonants,
  a: letters,
  n: digits,
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: `${letters}${digits}!@#$%^&*()`,
};

type Derivation = {
  readonly counter: number;
  readonly kind: string;
  readonly password: string;
  readonly user: string;
  readonly site: string;
};

const purpose = toBytes('com.lyndir.masterpassword');
/** About a tenth of a second: a few of them use up the budget of a template. */
const derivationSteps = 50_000;

/** The algorithm of Master Password, as sprig has it: the same inputs give the same password everywhere. */
function derivePassword(run: CallContext, { counter, kind, password, user, site }: Derivation): string {
  const known = shapes.get(kind);
  if (!known) return `cannot find password template ${kind}`;
  const { scrypt, hmacSha256 } = ciphersOf(run);
  run.step(derivationSteps);
  const key = scrypt(toBytes(password), joined([purpose, sized(user)]));
  const seed = hmacSha256(key, joined([purpose, sized(site), fourBytes(counter)]));
  const shape = known[(seed[0] ?? 0) % known.length] ?? '';
  return Array.from(shape, (letter, at) => {
    const among = classes[letter] ?? '';
    return among.charAt((seed[at + 1] ?? 0) % among.length);
  }).join('');
}

function fourBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function sized(text: string): Uint8Array {
  const bytes = toBytes(text);
  return joined([fourBytes(bytes.length), bytes]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const block = 16;

/** sprig's key is the password itself: cut off, or filled up with zeros. */
function keyOf(password: string): Uint8Array {
  const key = new Uint8Array(32);
  key.set(toBytes(password).subarray(0, key.length));
  return key;
}

/** The initialization vector stands before the text, which is filled up as PKCS #7 says. */
function encryptAes(run: CallContext, password: string, text: string): string {
  if (text === '') return '';
  const plain = toBytes(text);
  run.alloc(plain.length * 4);
  const missing = block - (plain.length % block);
  const data = joined([plain, new Uint8Array(missing).fill(missing)]);
  const iv = randomBytes(run, block);
  return toBase64(joined([iv, ciphersOf(run).aes('encrypt', { key: keyOf(password), iv, data })]));
}

function decryptAes(run: CallContext, password: string, text: string): string {
  if (text === '') return '';
  const problem = problemIn64(text);
  if (problem) throw new GoError(problem);
  const bytes = fromBase64(text.replace(/[\r\n=]/g, '')) ?? new Uint8Array();
  run.alloc(bytes.length * 2);
  const [iv, data] = [bytes.subarray(0, block), bytes.subarray(block)];
  if (iv.length < block || data.length === 0 || data.length % block !== 0)
    throw new GoError('the text was not encrypted by encryptAES: it has no whole blocks');
  const plain = ciphersOf(run).aes('decrypt', { key: keyOf(password), iv, data });
  const filled = plain.at(-1) ?? 0;
  if (filled > plain.length)
    throw new GoError('the password is not the one that the text was encrypted with');
  return fromBytes(plain.subarray(0, plain.length - filled));
}

/** compat sources AST-8 `normalize`: a text as the name of an object can be. */
export function normalizeName(text: string): string {
  const safe = text.toLowerCase().replace(/[^-a-z0-9.]/gu, '-');
  return safe.slice(0, 253).replace(/^[-.]+|[-.]+$/g, '');
}

export type SlugOptions = { readonly max: number; readonly smart: boolean };

/** compat sources AST-8: of a text what a host name may hold, cut at the last dash that fits. */
export function slug(text: string, { max, smart }: SlugOptions = { max: 50, smart: true }): string {
  const letters = [...text.normalize('NFC')].map(spelled).join('').toLowerCase();
  const safe = letters
    .replace(/[^a-z0-9\-_]/gu, '-')
    .replace(/-+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
  if (max <= 0 || safe.length <= max) return safe;
  const dash = smart ? safe.lastIndexOf('-', max) : -1;
  return safe.slice(0, dash < 0 ? max : dash);
}

/**
 * The letters that people put into branch names. [J] compat sources AST-8: a reduced table; the peer also spells out scripts
 * other than Latin, here their letters become dashes.
 */
const spellings: Readonly<Record<string, string>> = {
  '&': 'and',
  '@': 'at',
  '"': '',
  "'": '',
  '’': '',
  ß: 'ss',
  æ: 'ae',
  Æ: 'ae',
  œ: 'oe',
  Œ: 'oe',
  ø: 'o',
  Ø: 'o',
  đ: 'd',
  Đ: 'd',
  ł: 'l',
  Ł: 'l',
  þ: 'th',
  Þ: 'th',
  ð: 'd',
  Ð: 'd',
  ı: 'i',
};

function spelled(letter: string): string {
  if (Object.hasOwn(spellings, letter)) return spellings[letter] ?? '';
  return letter.normalize('NFD').replace(/\p{M}/gu, '');
}

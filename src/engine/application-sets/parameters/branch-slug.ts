import { transliterated } from './transliterate.ts';

const longest = 50;
/** compat: what the slugs of English texts replace before anything else; quotes vanish, dashes of all lengths are dashes. */
const words: Readonly<Record<string, string>> = {
  '&': 'and',
  '@': 'at',
  '"': '',
  "'": '',
  '\u2019': '',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  _: '-',
};

/**
 * A branch name as part of an object's name (sources ASP-2, AST-8): lower-case ASCII letters, digits and single dashes, at
 * most 50 characters, cut at a dash where there is one.
 */
export function branchSlug(text: string): string {
  const ascii = transliterated(
    text.trim().replace(/[&@"'\u2019\u2012-\u2015_]/g, (found) => words[found] ?? ''),
  );
  const clean = ascii
    .replace(/[^a-z0-9-]/g, '-')
    .replace(/-+/g, '-')
    .replace(/^-|-$/g, '');
  if (clean.length <= longest) return clean;
  const dash = clean.lastIndexOf('-', longest);
  return clean.slice(0, dash < 0 ? longest : dash);
}

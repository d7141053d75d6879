/** Letters of languages written in Latin that are no letter with an accent. */
const latin =
  'æ ae ø o å a œ oe ß ss đ d ð d þ th ħ h ı i ĸ k ł l ŀ l ŋ ng ŧ t ƀ b ƒ f ƙ k ƶ z ǝ @ ɓ b ɗ d ə @ ɛ e ɔ o ʼ - ẞ ss';
const greek =
  'α a β b γ g δ d ε e ζ z η e θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r ς s σ s τ t υ u φ ph χ kh ψ ps ω o';
const cyrillic =
  'а a б b в v г g д d е e ж zh з z и i й i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ъ - ы y ь - э e ю iu я ia ' +
  'ѐ ie ё io ђ dj ѓ gj є ie ѕ dz і i ї yi ј j љ lj њ nj ћ tsh ќ kj ѝ i ў u џ dzh ґ g- ғ g- қ k- ң n- ө o ү u ұ u- һ h ә @ ӣ i ӯ u ҷ ch- ҳ kh-';
const signs = '€ eu £ ps ° deg ² 2 ³ 3 ¹ 1 µ u × x ¢ c/ ¥ y= § ss ¼ 1/4 ½ 1/2 ¾ 3/4 © (c) ® (r)';

const table = new Map(
  [latin, greek, cyrillic, signs].flatMap((row) => {
    const words = row.split(' ');
    return words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ''] as const] : []));
  }),
);

/**
 * Lower-case ASCII for a text of European languages, as Argo CD spells it in slugs. Letters of other scripts are dashes,
 * where Argo CD spells them too (sources AST-8 names the gap); characters beyond the basic plane, such as emoji, vanish.
 */
export function transliterated(text: string): string {
  let ascii = '';
  // compat: Go lowers U+0130 to one letter, and a capital xi is spelt unlike the small one
  const lower = text.replaceAll('\u0130', 'i').replaceAll('Ξ', 'ks').toLowerCase();
  for (const letter of lower) ascii += spelt(letter);
  return ascii;
}

function spelt(letter: string): string {
  if (letter <= '\u007f') return letter;
  const known = table.get(letter);
  if (known !== undefined) return known;
  if (letter.length > 1 || /[\p{M}\p{Cc}\p{Cf}]/u.test(letter)) return '';
  const bare = /\p{L}/u.test(letter) ? letter.normalize('NFKD').replace(/\p{M}/gu, '') : '';
  return [...bare].map((part) => (part <= '\u007f' ? part : (table.get(part) ?? '-'))).join('') || '-';
}

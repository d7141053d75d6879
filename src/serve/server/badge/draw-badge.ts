/** One field of a badge. */
export type BadgePart = { readonly text: string; readonly colour: string };

/** Colours that white text can be read on. */
export const badgeColours = {
  green: '#2e7d32',
  blue: '#1565c0',
  orange: '#b45309',
  red: '#b3261e',
  grey: '#5f6368',
  purple: '#6d4aa6',
} as const;

const height = 20;
/** About the width of a character of 11 pixels in a sans-serif font; the text is fitted to it. */
const charWidth = 6.6;
const padding = 7;

const escaped = (text: string): string => text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`);

/** An SVG without a script, a style sheet or anything from elsewhere. `width` is the least width in pixels. */
export function drawBadge(parts: readonly BadgePart[], width = 0): string {
  const sizes = parts.map(({ text }) => Math.ceil(text.length * charWidth) + 2 * padding);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const wide = Math.max(total, width);
  // what is wider than its parts widens the last one
  const last = sizes.length - 1;
  const fitted = sizes.map((size, at) => (at === last ? size + wide - total : size));
  let left = 0;
  const drawn = parts.map(({ text, colour }, at) => {
    const [x, size] = [left, fitted[at] ?? 0];
    left += size;
    const middle = x + size / 2;
    return `<rect x="${x}" width="${size}" height="${height}" fill="${colour}"/><text x="${middle}" y="14" text-anchor="middle">${escaped(text)}</text>`;
  });
  const label = escaped(parts.map(({ text }) => text).join(', '));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${height}" role="img" aria-label="${label}">`,
    `<title>${label}</title><clipPath id="round"><rect width="${wide}" height="${height}" rx="4"/></clipPath>`,
    `<g clip-path="url(#round)" fill="#fff" font-family="Inter, Verdana, sans-serif" font-size="11">${drawn.join('')}</g></svg>`,
  ].join('');
}

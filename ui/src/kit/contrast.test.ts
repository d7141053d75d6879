import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name, { light, dark }],
  ),
);
type Theme = 'light' | 'dark';

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string, theme: Theme): number {
  const [a = 0, b = 0] = [one, other]
    .map((name) => luminance(tokens.get(name)?.[theme] ?? 'none'))
    .sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

const grounds = ['canvas', 'surface', 'raised', 'sunken', 'hover', 'selected'];
const states = ['good', 'busy', 'bad', 'warn', 'rest', 'dim'];

describe.each<Theme>(['light', 'dark'])('in the %s theme', (theme) => {
  test.each(['ink', 'ink-soft', 'ink-faint', 'link', ...states])('%s can be read on every ground', (word) => {
    for (const ground of grounds) {
      expect(contrast(word, ground, theme), `${word} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(states)('%s can be read on its own ground', (state) => {
    expect(contrast(state, `${state}-ground`, theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('ink', `${state}-ground`, theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('ink-soft', `${state}-ground`, theme)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(states)('the bar of %s stands out from the page', (state) => {
    for (const ground of ['canvas', 'surface', 'raised']) {
      expect(contrast(`${state}-fill`, ground, theme)).toBeGreaterThanOrEqual(3);
    }
  });

  test('controls have an edge one can see, and buttons words one can read', () => {
    for (const ground of ['surface', 'raised', 'canvas']) {
      expect(contrast('control', ground, theme)).toBeGreaterThanOrEqual(3);
      expect(contrast('focus', ground, theme)).toBeGreaterThanOrEqual(3);
    }
    expect(contrast('ink', 'thumb', theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('on-act', 'act', theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('on-act', 'act-hover', theme)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('on-danger', 'danger', theme)).toBeGreaterThanOrEqual(4.5);
  });
});

import { expect, test } from 'vitest';
import { fittingWidth, widthAfter } from './panel-width.ts';

test.each([
  [500, 500],
  [100, 360],
  [5000, 960],
  [undefined, 460],
  ['500', 460],
  [Number.NaN, 460],
])('a width of %o is %i', (wanted, width) => {
  expect(fittingWidth(wanted)).toBe(width);
});

test.each([
  ['ArrowLeft', 460, 492],
  ['ArrowRight', 460, 428],
  ['ArrowRight', 370, 360],
  ['ArrowLeft', 950, 960],
  ['Home', 460, 960],
  ['End', 460, 360],
  ['Enter', 460, undefined],
])('%s at %i makes it %o', (key, width, next) => {
  expect(widthAfter(key, width)).toBe(next);
});

import { expect, test } from 'vitest';
import { zoomIn, zoomStep } from './zoom.ts';

test.each([
  { frame: 992, width: 800, wanted: undefined, shown: { zoom: 1, isOwn: true, fits: true } },
  { frame: 992, width: 1240, wanted: undefined, shown: { zoom: 0.8, isOwn: true, fits: true } },
  { frame: 400, width: 1240, wanted: undefined, shown: { zoom: 0.7, isOwn: true, fits: false } },
  { frame: 992, width: 1240, wanted: 1, shown: { zoom: 1, isOwn: false, fits: false } },
  { frame: 0, width: 1240, wanted: undefined, shown: { zoom: 1, isOwn: true, fits: true } },
])(
  'a tree of $width pixels in $frame does not claim to fit where it is cut',
  ({ frame, width, wanted, shown }) => {
    expect(zoomIn(frame, width, wanted)).toEqual(shown);
  },
);

test.each([
  [0.8, 1, '100'],
  [0.83, 1, '100'],
  [0.83, -1, '80'],
  [0.4, -1, undefined],
  [1.25, 1, undefined],
] as const)('from %d a step of %i leads to %s', (shown, by, next) => {
  expect(zoomStep(shown, by)).toBe(next);
});

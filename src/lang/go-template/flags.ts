import type { CallContext } from './value.ts';

/** The flags of one verb. */
export type VerbFlags = {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  plusV: boolean;
  sharpV: boolean;
  width: number | undefined;
  precision: number | undefined;
  /** Counts what is printed: a value may hold another a million times, and a width may be a million. */
  readonly run: PrintMeter;
};

export type PrintMeter = Pick<CallContext, 'step' | 'alloc'>;

export const noFlags = (run: PrintMeter): VerbFlags => ({
  run,
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
});

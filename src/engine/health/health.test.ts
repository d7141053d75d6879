import { expect, test } from 'vitest';
import type { Health } from '#model';
import { cases } from '../../../test/cases.ts';
import { health } from './health.ts';

test.each(cases<Health | null>(new URL('./testdata/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    expect(health(input[0], input[1]) ?? null).toEqual(wanted);
  },
);

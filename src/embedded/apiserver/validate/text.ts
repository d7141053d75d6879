import { isIP } from 'node:net';
import type { FieldCheck } from './check.ts';

/** compat cluster 3.13: a percentage, or a non-negative integer. */
export function checkPortion(amount: FieldCheck): void {
  const { value } = amount;
  if (typeof value === 'number') amount.notNegative();
  if (typeof value !== 'string') return;
  if (!/^\d+%$/.test(value)) {
    amount.invalid(
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
  }
}

export function atMostAll(amount: FieldCheck): void {
  const { value } = amount;
  if (typeof value === 'string' && /^\d+%$/.test(value) && Number(value.slice(0, -1)) > 100) {
    amount.invalid('must not be greater than 100%');
  }
}

export const isAddress = (text: string): boolean => isIP(text) !== 0;

export const addressRule = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** A number with Go's zero value: absent is zero. */
export const isZero = (value: unknown): boolean =>
  value === undefined || value === null || value === 0 || value === '0%' || value === '0';

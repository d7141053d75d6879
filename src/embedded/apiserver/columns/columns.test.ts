import { describe, expect, test } from 'vitest';
import { freeze } from '#base/std';
import { cases } from '../../../../test/cases.ts';
import { ServedKinds } from '../kinds.ts';
import { Stored } from '../stored.ts';
import { tableText } from '../table.ts';
import { shortDuration } from './column.ts';

const kinds = new ServedKinds();
const now = Date.parse('2026-01-01T00:01:00Z');
const form = { as: 'table', version: 'v1', include: 'None' } as const;

/** Each case is an object and the cells `kubectl get` shows of it, wide ones left out, one minute after its creation. */
test.each(cases<unknown[]>(new URL('./testdata/', import.meta.url)))(
  '$name',
  ({ input: [object], expect: cells }) => {
    const resource = kinds.findKind(object.apiVersion, object.kind);
    if (!resource) throw new Error(`${object.kind} is not served`);
    const table = JSON.parse(tableText({ resource, form, now }, [new Stored('', freeze(object), 1)], {}));
    const shown = table.rows[0].cells.filter(
      (_cell: unknown, i: number) => table.columnDefinitions[i].priority === 0,
    );
    expect(shown).toEqual(cells);
  },
);

describe('durations are short', () => {
  const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
  test.each([
    [0, '0s'],
    [-5 * second, '<invalid>'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [5 * minute + 30 * second, '5m30s'],
    [179 * minute, '179m'],
    [3 * hour + 5 * minute, '3h5m'],
    [26 * hour, '26h'],
    [3 * day + 4 * hour, '3d4h'],
    [100 * day, '100d'],
    [740 * day, '2y10d'],
    [3000 * day, '8y'],
  ])('%d ms is %s', (ms, text) => expect(shortDuration(ms)).toBe(text));
});

import type { Application } from '#base/model';
import type { Group } from './application-filter.ts';

/** A heading, or as many tiles as stand side by side; heights in units, so that few sizes can be virtualised as equal rows. */
export type TileRow = { readonly top: number; readonly units: number } & (
  | { readonly group: Group }
  | { readonly apps: readonly Application[] }
);

const tileUnits = 4;

/** The tiles by group, in rows of `perRow`; a nameless group has no heading. */
export function tileRowsOf(groups: readonly Group[], perRow: number): TileRow[] {
  const rows: TileRow[] = [];
  let top = 0;
  for (const group of groups) {
    if (group.name) rows.push({ top: top++, units: 1, group });
    for (let at = 0; at < group.apps.length; at += perRow, top += tileUnits)
      rows.push({ top, units: tileUnits, apps: group.apps.slice(at, at + perRow) });
  }
  return rows;
}

/** How many units all rows are high. */
export const heightOf = (rows: readonly TileRow[]): number => {
  const last = rows.at(-1);
  return last ? last.top + last.units : 0;
};

/** The rows that reach into a range of units. */
export const rowsWithin = (
  rows: readonly TileRow[],
  { first, last }: { first: number; last: number },
): TileRow[] => rows.filter(({ top, units }) => top + units > first && top < last);

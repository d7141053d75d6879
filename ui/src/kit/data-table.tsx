import type { ReactNode } from 'react';

export type DataColumn<T> = {
  readonly label: string;
  readonly width?: string;
  /** The cell; the first column names the row. */
  cell(row: T): ReactNode;
};

/** Things of one kind, one a row. On a narrow page each row is a small card with the labels beside the values. */
export function DataTable<T>({
  caption,
  columns,
  rows,
  keyOf,
  none,
}: {
  caption: string;
  columns: readonly DataColumn<T>[];
  rows: readonly T[];
  keyOf(row: T): string;
  /** Instead of an empty table. */
  none: ReactNode;
}) {
  if (rows.length === 0) return <p className="none-left">{none}</p>;
  const [first, ...others] = columns;
  return (
    <table className="data-table">
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, width }) => (
            <th key={label} scope="col" style={width ? { width } : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">{first?.cell(row)}</th>
            {others.map(({ label, cell }) => (
              <td key={label} data-label={label}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Columns two spaces apart, as wide as their widest cell; nothing after the last one. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === head.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

/** `Name:` and its value, the values aligned; one without a name continues the one before. */
export function facts(pairs: readonly (readonly [string, string | undefined])[]): string {
  return pairs
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${(name && `${name}:`).padEnd(20)}${value}\n`)
    .join('');
}

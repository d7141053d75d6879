/** The name, with a number after it where objects of earlier attempts have it. */
export function freeName(base: string, separator: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(base)) return base;
  let number = 1;
  while (isTaken(`${base}${separator}${number}`)) number += 1;
  return `${base}${separator}${number}`;
}

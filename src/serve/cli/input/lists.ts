/** For flags that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** For flags that may be repeated, and whose value may itself be several with commas. */
export const collectList = (value: string, before: string[] = []): string[] => [
  ...before,
  ...value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean),
];

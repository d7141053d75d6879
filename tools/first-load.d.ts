/** The most bytes of the first load. */
export const budget: number;
/** The bytes of the first load of the web UI in a folder, compressed. */
export function firstLoad(folder: string): number;
/** The same; throws when they are over the budget. */
export function requireBudget(folder: string): number;

import type { Command } from 'commander';

export type NameFlags = { appNamespace?: string; project?: string };
export type ReadFlags = NameFlags & { refresh?: boolean; hardRefresh?: boolean };

/** compat server §8.1: `namespace/name`, or a name and --app-namespace. */
export function refOfName(given: string, { appNamespace }: Pick<NameFlags, 'appNamespace'>) {
  const [first = '', second] = given.split('/', 2);
  const name = second ?? first;
  const namespace = second === undefined ? appNamespace : first;
  return { params: { name }, query: { appNamespace: namespace } };
}

export type ApplicationRef = ReturnType<typeof refOfName>;

export const namespaced = (command: Command): Command =>
  command.option('-N, --app-namespace <namespace>', 'where the application lives');

/** What a read waits for first. */
export function refreshOf({ refresh, hardRefresh }: ReadFlags): 'hard' | 'normal' | undefined {
  if (hardRefresh) return 'hard';
  return refresh ? 'normal' : undefined;
}

import type { Io } from '../io.ts';
import type { Session } from '../session.ts';

/** Opened by a command when it runs, not when the program starts: `--help` needs no server. */
export type Open = () => Promise<{ io: Io; session: Session; signal: AbortSignal }>;

export type NameFlags = { appNamespace?: string };
export type ReadFlags = NameFlags & { refresh?: boolean; hardRefresh?: boolean };

/** compat server §8.1: `namespace/name`, or a name and --app-namespace. */
export function refOfName(given: string, { appNamespace }: NameFlags) {
  const [first = '', second] = given.split('/', 2);
  const name = second ?? first;
  const namespace = second === undefined ? appNamespace : first;
  return { params: { name }, query: { appNamespace: namespace } };
}

/** For flags that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

import type { ReactNode } from 'react';
import type { Reloadable } from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';

/** What was loaded, or why it is not there: loading, or broken with the way to try again. */
export function Listed<T>({
  what,
  list,
  children,
}: {
  /** What is listed: `repositories`. */
  what: string;
  list: Reloadable<T>;
  children(data: T): ReactNode;
}) {
  if (list.data !== undefined) return <>{children(list.data)}</>;
  if (!list.error) return <Skeleton isPage label={`Loading the ${what}`} rows={6} height={44} />;
  return (
    <Problem title={`The ${what} cannot be shown`} message={list.error.message}>
      <Button onClick={list.reload}>Try again</Button>
    </Problem>
  );
}

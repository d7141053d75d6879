import { useState } from 'react';
import { FairleadError } from '#base/std';

export type UserAction<Args extends unknown[]> = {
  readonly run: (...args: Args) => void;
  readonly isRunning: boolean;
  /** Why the last try failed; cleared by the next one. */
  readonly error?: string;
  /** When the last one succeeded, as a count. */
  readonly done: number;
};

/** Something a person starts and the server finishes. */
export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
  onDone?: () => void,
): UserAction<Args> {
  const [state, setState] = useState<{ isRunning: boolean; error?: string; done: number }>({
    isRunning: false,
    done: 0,
  });
  const run = (...args: Args) => {
    setState(({ done }) => ({ isRunning: true, done }));
    act(...args).then(
      () => {
        setState(({ done }) => ({ isRunning: false, done: done + 1 }));
        onDone?.();
      },
      (thrown) =>
        setState(({ done }) => ({ isRunning: false, done, error: FairleadError.from(thrown).message })),
    );
  };
  return { run, ...state };
}

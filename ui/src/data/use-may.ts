import { atOnce } from '#base/std';
import { accounts, call, type Send } from '#serve/api';
import { useSend } from './live.tsx';
import { mayAnywhere } from './may-anywhere.ts';
import { useLoad } from './use-load.ts';

/**
 * A right as policies name it: `applications, sync, default/guestbook`. With several actions, each of them is enough, and
 * the first is the one to name.
 */
export type Right = {
  readonly resource: string;
  readonly action: string | readonly [string, ...string[]];
  readonly object: string;
};

const wordsOf = ({ resource, action, object }: Right): string =>
  `${resource}, ${[action].flat()[0]}, ${object}`;

/**
 * Why the user may not do something: the missing permission, in the words of a policy; undefined: it is permitted, or not
 * known yet, and then the server decides.
 */
export const useWhyNot = (right: Right): string | undefined => useWhyNotEach([right])[0];

/** The same for several rights at once. */
export function useWhyNotEach(rights: readonly Right[]): readonly (string | undefined)[] {
  const send = useSend();
  const { data } = useLoad(JSON.stringify(rights), '', (signal) =>
    atOnce(8, rights, (right) => mayDo(send, right, signal)),
  );
  return rights.map((right, at) =>
    data?.[at] === false
      ? `You may not: the permission “${wordsOf(right)}” is missing. Request it from an administrator.`
      : undefined,
  );
}

async function mayDo(send: Send, { resource, action, object }: Right, signal: AbortSignal): Promise<boolean> {
  for (const one of [action].flat()) {
    const params = { resource, action: one, object: object || '*' };
    const { value } = await call(send, accounts.canI, { params, signal });
    if (value === 'yes') return true;
  }
  return false;
}

/** The same for something that belongs to a project: undefined when it is permitted in at least one of them. */
export function useWhyNotAnywhere(resource: string, action: string): string | undefined {
  const send = useSend();
  const { data } = useLoad(`${resource} ${action}`, '', (signal) =>
    mayAnywhere(send, { resource, action }, signal),
  );
  return data === false
    ? `You may not: no project grants “${resource}, ${action}”. Request it from an administrator.`
    : undefined;
}

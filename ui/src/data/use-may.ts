import { accounts, call } from '#serve/api';
import { useSend } from './live.tsx';
import { mayAnywhere } from './may-anywhere.ts';
import { useLoad } from './use-load.ts';

/** A right as policies name it: `applications, sync, default/guestbook`. */
export type Right = { readonly resource: string; readonly action: string; readonly object: string };

/**
 * Why the user may not do something: the missing permission, in the words of a policy; undefined: it is permitted, or not
 * known yet, and then the server decides.
 */
export function useWhyNot({ resource, action, object }: Right): string | undefined {
  const send = useSend();
  const right = `${resource}, ${action}, ${object}`;
  const { data } = useLoad(right, '', async (signal) => {
    const params = { resource, action, object: object || '*' };
    return (await call(send, accounts.canI, { params, signal })).value;
  });
  return data === 'no'
    ? `You may not: the permission “${right}” is missing. Request it from an administrator.`
    : undefined;
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

import type { ApplicationSet } from '#base/model';
import { FairleadError } from '#base/std';
import { type ApplicationSetWatchEvent, applicationSets } from '#serve/api';
import { ExitError, type Io } from '../io.ts';
import type { Session } from '../session/session.ts';

type Connected = { readonly session: Session; readonly signal: AbortSignal };
type Ref = {
  readonly params: { readonly name: string };
  readonly query: { readonly appsetNamespace: string | undefined };
};

/** compat server §2.8: the watch spells the namespace in its own way. */
const watched = ({ session, signal }: Connected, { params, query }: Ref) =>
  session.follow(applicationSets.watch, {
    query: { name: params.name, appSetNamespace: query.appsetNamespace },
    signal,
  });

/**
 * compat server §8.3: waits until the controller reports that the applications are as the set says, and reports on stderr what it
 * waits for. Throws ExitError 20 when the set is deleted meanwhile.
 */
export async function untilUpToDate(to: Connected & { readonly io: Io }, set: ApplicationSet): Promise<void> {
  const { name, namespace } = set.metadata;
  let shown = '';
  for await (const event of watched(to, { params: { name }, query: { appsetNamespace: namespace } })) {
    if (event.type === 'DELETED')
      throw new ExitError(20, `ApplicationSet '${name}' was deleted while waiting for it`);
    if (await isUpToDate(to.session, event)) return;
    const why = blockedBy(event.applicationSet);
    if (why && why !== shown) to.io.err(`waiting for ApplicationSet '${name}': ${why}\n`);
    shown = why;
  }
  throw new FairleadError('Unavailable', 'the server ended the stream');
}

/** The condition may be about the spec before this one, so the set must also have nothing left to change. */
async function isUpToDate(session: Session, { applicationSet }: ApplicationSetWatchEvent): Promise<boolean> {
  const found = applicationSet.status?.conditions?.find(({ type }) => type === 'ResourcesUpToDate');
  if (found?.status !== 'True') return false;
  const { changes } = await session.call(applicationSets.preview, { body: { applicationSet } });
  return changes.length === 0;
}

const blockedBy = ({ status }: ApplicationSet): string =>
  status?.conditions?.find((one) => one.type === 'ErrorOccurred' && one.status === 'True')?.message ?? '';

/** Deletes a set and waits until it is gone. The watch is open before: nothing of the deletion is missed. */
export async function untilDeleted(to: Connected, ref: Ref, remove: () => Promise<unknown>): Promise<void> {
  await to.session.call(applicationSets.get, ref);
  const events = watched(to, ref);
  try {
    await events.next(); // the set as it is
    await remove();
    for await (const { type } of events) if (type === 'DELETED') return;
  } finally {
    await events.return(undefined);
  }
  throw new FairleadError('Unavailable', 'the server ended the stream');
}

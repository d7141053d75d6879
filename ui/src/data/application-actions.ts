import type { Application } from '#base/model';
import { applications, call, type Send, type SyncRequest } from '#serve/api';
import type { AppRef } from './use-application.ts';

const to = ({ namespace, name }: AppRef) => ({ params: { name }, query: { appNamespace: namespace } });

export const syncApplication = (send: Send, ref: AppRef, body: SyncRequest) =>
  call(send, applications.sync, { ...to(ref), body });

/** `hard` renders the manifests again, too. Returns when the comparison is done. */
export function refreshApplication(send: Send, ref: AppRef, how: 'normal' | 'hard') {
  const { params, query } = to(ref);
  return call(send, applications.get, { params, query: { ...query, refresh: how } });
}

export const terminateOperation = (send: Send, ref: AppRef) => call(send, applications.terminate, to(ref));

export const rollBack = (send: Send, ref: AppRef, body: { id: number; dryRun?: boolean; prune?: boolean }) =>
  call(send, applications.rollback, { ...to(ref), body });

/** `patch` is the text of a merge patch. */
export const patchApplication = (send: Send, { namespace, name }: AppRef, patch: string) =>
  call(send, applications.patch, {
    params: { name },
    body: { appNamespace: namespace, patch, patchType: 'merge' },
  });

/** Its other fields stay, for the day on which it is turned on again. */
export const turnAutoSyncOff = (send: Send, ref: AppRef) =>
  patchApplication(send, ref, JSON.stringify({ spec: { syncPolicy: { automated: { enabled: false } } } }));

export const createApplication = (send: Send, body: Application) => call(send, applications.create, { body });

/** With its resources in the foreground or the background, or without them. */
export function deleteApplication(send: Send, ref: AppRef, how: 'foreground' | 'background' | 'keep') {
  const { params, query } = to(ref);
  const way = how === 'keep' ? { cascade: false } : { propagationPolicy: how };
  return call(send, applications.delete, { params, query: { ...query, ...way } });
}

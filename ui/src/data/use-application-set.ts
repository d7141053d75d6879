import type { ApplicationSet, KubeObject } from '#base/model';
import { type ApplicationSetPreview, applicationSets, call, type Send } from '#serve/api';
import { useApplicationSets, useSend } from './live.tsx';
import type { AppRef } from './use-application.ts';
import { type Loaded, useLoad } from './use-load.ts';

/** One set, from the stream that brings them all. */
export function useApplicationSet({ namespace, name }: AppRef): ApplicationSet | undefined {
  return useApplicationSets().items?.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'argocd') === namespace,
  );
}

const refText = ({ namespace = '', name }: Partial<AppRef>): string => `${namespace}/${name}`;

/**
 * What the stored set would do now. Evaluated when a view needs it, when the set was edited, and for each `attempt`; its
 * status may change as it likes.
 */
export function useSetPreview(set: ApplicationSet, attempt: number): Loaded<ApplicationSetPreview> {
  const send = useSend();
  const { metadata } = set;
  const subject = `${refText(metadata)} ${metadata.generation ?? ''} ${attempt}`;
  return useLoad(subject, '', (signal) => previewSet(send, set, signal));
}

/** What storing the set would do; nothing is stored. */
export const previewSet = (send: Send, set: ApplicationSet, signal?: AbortSignal) =>
  call(send, applicationSets.preview, {
    body: { applicationSet: declared(set) },
    ...(signal && { signal }),
  });

/** The server reads what a user declares, and nothing of the state. */
const declared = ({ status: _status, ...rest }: ApplicationSet): ApplicationSet => rest;

/** Creates a set, or replaces the one of its name. */
export const saveSet = (send: Send, set: ApplicationSet, isNew: boolean) =>
  call(send, applicationSets.create, { body: declared(set), query: isNew ? {} : { upsert: true } });

export const deleteSet = (send: Send, { namespace, name }: AppRef) =>
  call(send, applicationSets.delete, { params: { name }, query: { appsetNamespace: namespace } });

/** The events of a set, fetched again whenever it changes. */
export function useSetEvents({ metadata }: ApplicationSet): Loaded<readonly KubeObject[]> {
  const send = useSend();
  const { name, namespace, resourceVersion = '' } = metadata;
  return useLoad(refText(metadata), resourceVersion, async (signal) => {
    const query = { appsetNamespace: namespace };
    return (await call(send, applicationSets.events, { params: { name }, query, signal })).items ?? [];
  });
}

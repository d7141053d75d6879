import type { ApplicationSet, KubeObject } from '#base/model';
import { type ApplicationSetPreview, applicationSets, call } from '#serve/api';
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
  const { apiVersion, kind, metadata, spec } = set;
  const { name, namespace, labels, annotations } = metadata;
  const stored: ApplicationSet = {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec,
  };
  const subject = `${refText(metadata)} ${metadata.generation ?? ''} ${attempt}`;
  return useLoad(subject, '', (signal) =>
    call(send, applicationSets.preview, { body: { applicationSet: stored }, signal }),
  );
}

/** The events of a set, fetched again whenever it changes. */
export function useSetEvents({ metadata }: ApplicationSet): Loaded<readonly KubeObject[]> {
  const send = useSend();
  const { name, namespace, resourceVersion = '' } = metadata;
  return useLoad(refText(metadata), resourceVersion, async (signal) => {
    const query = { appsetNamespace: namespace };
    return (await call(send, applicationSets.events, { params: { name }, query, signal })).items ?? [];
  });
}

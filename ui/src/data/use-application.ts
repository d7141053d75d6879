import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Application, type KubeObject, parseKey, type ResourceKey } from '#base/model';
import { delayOf, FairleadError, realClock } from '#base/std';
import {
  applications,
  call,
  follow,
  type ManagedResource,
  type ResourceTree,
  type SyncWindows,
} from '#serve/api';
import { useApplications, useSend } from './live.tsx';
import { useIsSeen } from './use-is-seen.ts';
import { type Loaded, useLoad } from './use-load.ts';

export type AppRef = { readonly namespace: string; readonly name: string };

const refText = ({ namespace, name }: AppRef): string => `${namespace}/${name}`;
const options = ({ namespace, name }: AppRef, signal: AbortSignal) => ({
  params: { name },
  query: { appNamespace: namespace },
  signal,
});

/** One application, from the stream that brings them all. */
export function useApplication({ namespace, name }: AppRef): Application | undefined {
  return useApplications().items?.find(
    ({ metadata }) => metadata.name === name && (metadata.namespace ?? 'argocd') === namespace,
  );
}

/** The resource tree, kept fresh while the page can be seen: a hidden tab gives its connection to another. */
export function useResourceTree(ref: AppRef): Loaded<ResourceTree> {
  const send = useSend();
  const isSeen = useIsSeen();
  const subject = refText(ref);
  const [state, setState] = useState<Loaded<ResourceTree> & { subject: string }>({ subject });
  const listen = useEffectEvent(async (signal: AbortSignal) => {
    const keep = (data: ResourceTree) => setState({ subject, data });
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        keep(await call(send, applications.tree, options(ref, signal)));
        attempt = 0;
        for await (const tree of follow(send, applications.watchTree, options(ref, signal))) keep(tree);
      } catch (thrown) {
        if (signal.aborted) return;
        setState((was) => ({
          ...(was.subject === subject ? was : {}),
          subject,
          error: FairleadError.from(thrown),
        }));
      }
      await realClock.sleep(delayOf({ initialMs: 1000, factor: 2, maxMs: 30_000 }, attempt, 0), signal);
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another application is another tree
  useEffect(() => {
    if (!isSeen) return;
    const stop = new AbortController();
    listen(stop.signal).catch(() => {}); // stopped in its sleep
    return () => stop.abort();
  }, [subject, isSeen]);
  return state.subject === subject ? state : {};
}

/**
 * Target and live state of every managed resource, fetched again whenever the application was compared again.
 */
export function useManagedResources(ref: AppRef, app: Application | undefined): Loaded<ManagedResource[]> {
  const send = useSend();
  const { reconciledAt, sync, operationState } = app?.status ?? {};
  const key = [reconciledAt, sync?.revision, sync?.status, operationState?.finishedAt].join(' ');
  return useLoad(refText(ref), key, async (signal) => {
    const { items } = await call(send, applications.managedResources, options(ref, signal));
    return items ?? [];
  });
}

const minute = 60_000;

/** The current windows of its project: fetched each minute, and whenever it was compared again. */
export function useSyncWindows(ref: AppRef, { status }: Application, now: number): Loaded<SyncWindows> {
  const send = useSend();
  const key = [Math.floor(now / minute), status?.reconciledAt, status?.operationState?.phase].join(' ');
  return useLoad(refText(ref), key, (signal) => call(send, applications.windows, options(ref, signal)));
}

export type ManifestRef = {
  readonly key: ResourceKey;
  readonly version?: string;
  readonly resourceVersion?: string;
};

/** The live manifest of one resource of the tree, as JSON text; fetched again when the resource changes. */
export function useManifest(ref: AppRef, { key, version, resourceVersion }: ManifestRef): Loaded<string> {
  const send = useSend();
  const { group, kind, namespace, name } = parseKey(key);
  return useLoad(`${refText(ref)} ${key}`, `${version} ${resourceVersion}`, async (signal) => {
    const { params, query } = options(ref, signal);
    const requested = { ...query, group, kind, namespace, resourceName: name, version };
    return (await call(send, applications.resource, { params, query: requested, signal })).manifest;
  });
}

/**
 * The live objects of several resources of the tree; each is fetched again when it changes. What could not be fetched, or not
 * yet, is left out.
 */
export function useManifests<T extends KubeObject = KubeObject>(
  ref: AppRef,
  items: readonly ManifestRef[],
): readonly T[] {
  const send = useSend();
  const cache = useRef(new Map<string, T>());
  const idOf = ({ key, resourceVersion }: ManifestRef): string => `${key} ${resourceVersion}`;
  const load = async (item: ManifestRef, signal: AbortSignal): Promise<T | undefined> => {
    const { group, kind, namespace, name: resourceName } = parseKey(item.key);
    const { params, query } = options(ref, signal);
    const wanted = { ...query, group, kind, namespace, resourceName, version: item.version };
    try {
      const { manifest } = await call(send, applications.resource, { params, query: wanted, signal });
      return JSON.parse(manifest) as T;
    } catch {
      return undefined; // it is gone, and the tree will show that
    }
  };
  const { data } = useLoad(refText(ref), items.map(idOf).join('\n'), async (signal) => {
    const found = await Promise.all(
      items.map(
        async (item) => [idOf(item), cache.current.get(idOf(item)) ?? (await load(item, signal))] as const,
      ),
    );
    const present = found.flatMap(([id, object]) => (object ? [[id, object] as const] : []));
    if (!signal.aborted) cache.current = new Map(present);
    return present.map(([, object]) => object);
  });
  return data ?? [];
}

/** The target manifests at a revision, as JSON texts; empty: those of the target revision. */
export function useManifestsAt(ref: AppRef, revision: string | undefined): Loaded<readonly string[]> {
  const send = useSend();
  return useLoad(`${refText(ref)} ${revision}`, '', async (signal) => {
    const { params, query } = options(ref, signal);
    const wanted = revision ? { ...query, revision } : query;
    return (await call(send, applications.manifests, { params, query: wanted, signal })).manifests ?? [];
  });
}

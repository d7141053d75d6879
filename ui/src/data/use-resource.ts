import { type KubeObject, parseKey, type ResourceKey } from '#base/model';
import { applications, call, type LinkList, type ResourceAction, type Send } from '#serve/api';
import { useSend } from './live.tsx';
import type { AppRef } from './use-application.ts';
import { type Loaded, useLoad } from './use-load.ts';

/** One live resource of an application. */
export type AppResourceRef = AppRef & {
  readonly key: ResourceKey;
  readonly version?: string | undefined;
  readonly uid?: string | undefined;
};

function at({ namespace: appNamespace, name, key, version }: AppResourceRef) {
  const { group, kind, namespace, name: resourceName } = parseKey(key);
  return { params: { name }, query: { appNamespace, group, kind, namespace, resourceName, version } };
}

const subjectOf = ({ namespace, name, key }: AppResourceRef): string => `${namespace}/${name} ${key}`;

/** The events of a resource, or of the application itself, fetched again whenever `version` changes. */
export function useEvents(ref: AppRef, resource: AppResourceRef | undefined, version: string) {
  const send = useSend();
  const { namespace: appNamespace, name } = ref;
  const subject = resource ? subjectOf(resource) : `${appNamespace}/${name}`;
  return useLoad<readonly KubeObject[]>(subject, version, async (signal) => {
    const wanted = resource && parseKey(resource.key);
    const about = wanted && {
      resourceName: wanted.name,
      resourceNamespace: wanted.namespace,
      resourceUID: resource.uid,
    };
    const query = { appNamespace, ...about };
    return (await call(send, applications.events, { params: { name }, query, signal })).items ?? [];
  });
}

export function useResourceActions(ref: AppResourceRef, version: string): Loaded<readonly ResourceAction[]> {
  const send = useSend();
  return useLoad(subjectOf(ref), version, async (signal) => {
    return (await call(send, applications.actions, { ...at(ref), signal })).actions ?? [];
  });
}

export type ActionChoice = { readonly name: string; readonly parameters: Readonly<Record<string, string>> };

export function runResourceAction(
  send: Send,
  ref: AppResourceRef,
  { name: action, parameters }: ActionChoice,
) {
  const { params, query } = at(ref);
  const { appNamespace, group, kind, namespace, resourceName } = query;
  const given = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  return call(send, applications.runActionWith, {
    params,
    body: {
      appNamespace,
      group,
      kind,
      namespace,
      resourceName,
      action,
      ...(given.length > 0 && { resourceActionParameters: given }),
    },
  });
}

/** The deep links of an application, or of one resource of it. */
export function useLinks(ref: AppRef, resource?: ResourceKey): Loaded<LinkList> {
  const send = useSend();
  const { namespace: appNamespace, name } = ref;
  return useLoad(`links ${appNamespace}/${name} ${resource ?? ''}`, '', (signal) =>
    resource === undefined
      ? call(send, applications.links, { params: { name }, query: { appNamespace }, signal })
      : call(send, applications.resourceLinks, { ...at({ ...ref, key: resource }), signal }),
  );
}

/** In the foreground: dependents first. `force` does not wait, `orphan` leaves the dependents. */
export type DeletionWay = 'foreground' | 'force' | 'orphan';

export function deleteResource(send: Send, ref: AppResourceRef, way: DeletionWay) {
  const { params, query } = at(ref);
  return call(send, applications.deleteResource, {
    params,
    query: { ...query, ...(way !== 'foreground' && { [way]: true }) },
  });
}

/** Returns the manifest as the cluster stores it, or would with `dryRun`. A merge patch, or a list of operations. */
export async function patchResource(
  send: Send,
  ref: AppResourceRef,
  patch: string,
  { type = 'merge', dryRun }: { readonly type?: 'merge' | 'json'; readonly dryRun?: boolean } = {},
) {
  const { params, query } = at(ref);
  const { manifest } = await call(send, applications.patchResource, {
    params,
    query: { ...query, patchType: `application/${type}-patch+json`, ...(dryRun && { dryRun }) },
    body: patch,
  });
  return manifest;
}

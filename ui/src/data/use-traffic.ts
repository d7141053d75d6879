import {
  call,
  knative,
  type Send,
  type TrafficRequest,
  type TrafficService,
  type UndoRequest,
} from '#serve/api';
import { useSend } from './live.tsx';
import type { AppRef } from './use-application.ts';
import { type Loaded, useLoad } from './use-load.ts';

/** One Knative Service of an application. */
type TrafficRef = AppRef & { readonly service: string; readonly serviceNamespace: string };

const inApp = ({ namespace: appNamespace, name }: AppRef) => ({ params: { name }, query: { appNamespace } });

/** Its revisions and their shares, fetched again whenever `version` changes; null: the application declares no such Service. */
export function useTraffic(ref: TrafficRef, version: string): Loaded<TrafficService | null> {
  const send = useSend();
  const { service, serviceNamespace: namespace } = ref;
  return useLoad(`${ref.namespace}/${ref.name} ${namespace}/${service}`, version, async (signal) => {
    const { params, query } = inApp(ref);
    const wanted = { ...query, service, namespace };
    return (await call(send, knative.show, { params, query: wanted, signal })).items?.[0] ?? null;
  });
}

export const planTraffic = (send: Send, ref: AppRef, body: TrafficRequest) =>
  call(send, knative.plan, { ...inApp(ref), body });

export const shiftTraffic = (send: Send, ref: AppRef, body: TrafficRequest) =>
  call(send, knative.apply, { ...inApp(ref), body });

export const endOverride = (send: Send, ref: TrafficRef) => {
  const { params, query } = inApp(ref);
  const { service, serviceNamespace: namespace } = ref;
  return call(send, knative.clear, { params, query: { ...query, service, namespace } });
};

export const planUndo = (send: Send, ref: AppRef, body: UndoRequest) =>
  call(send, knative.planUndo, { ...inApp(ref), body });

export const commitUndo = (send: Send, ref: AppRef, body: UndoRequest) =>
  call(send, knative.undo, { ...inApp(ref), body });

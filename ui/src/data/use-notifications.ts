import {
  call,
  type DeliveryView,
  type NotificationConfigView,
  type NotificationPreviews,
  notifications,
} from '#serve/api';
import { useSend } from './live.tsx';
import type { AppRef } from './use-application.ts';
import { type Loaded, useLoad } from './use-load.ts';
import { type Reloadable, useList } from './use-settings.ts';

export const useNotificationConfig = (): Reloadable<NotificationConfigView> =>
  useList('notifications', (send, signal) => call(send, notifications.config, { signal }));

/** The names that every signed-in user may see. */
type NotificationNames = {
  readonly services: readonly string[];
  readonly triggers: readonly string[];
  readonly templates: readonly string[];
};

export const useNotificationNames = (): Reloadable<NotificationNames> =>
  useList('notification names', async (send, signal) => {
    const { services, triggers, templates } = notifications;
    const lists = await Promise.all(
      [services, triggers, templates].map((one) => call(send, one, { signal })),
    );
    const [first = [], second = [], third = []] = lists.map(({ items }) =>
      (items ?? []).map(({ name }) => name),
    );
    return { services: first, triggers: second, templates: third };
  });

/** The last deliveries, of one application or of all that the user may get; fetched again whenever `version` changes. */
export function useDeliveries(ref: AppRef | undefined, version: string): Loaded<readonly DeliveryView[]> {
  const send = useSend();
  const subject = ref ? `${ref.namespace}/${ref.name}` : '';
  return useLoad(subject, version, async (signal) => {
    const query = ref ? { application: ref.name, appNamespace: ref.namespace } : {};
    return (await call(send, notifications.deliveries, { query, signal })).items ?? [];
  });
}

/** What is rehearsed: the subscriptions of the application, or one trigger or template for every service. */
export type Rehearsal = { readonly trigger?: string; readonly template?: string };

/** What would be sent about an application now; nothing is sent. */
export function useNotificationPreview(
  { namespace, name }: AppRef,
  { trigger, template }: Rehearsal,
  version: string,
): Loaded<NotificationPreviews> {
  const send = useSend();
  const subject = [namespace, name, trigger, template].join('/');
  return useLoad(subject, version, (signal) => {
    const query = { appNamespace: namespace, trigger, template };
    return call(send, notifications.preview, { params: { name }, query, signal });
  });
}

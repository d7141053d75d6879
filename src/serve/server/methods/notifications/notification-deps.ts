import type { NotificationConfig } from '#control/notify';
import type { DeliveryView } from '#serve/api';

/** The dependencies of the methods about notifications. */
export type NotificationDeps = {
  readonly notifications: {
    /** The data of argocd-notifications-cm, with the built-in triggers and templates. */
    data(): Readonly<Record<string, string>>;
    /** The configurations that apply to the applications of a namespace. */
    configsOf(namespace: string): readonly NotificationConfig[];
    /** The last deliveries, the newest first. */
    deliveries(): readonly DeliveryView[];
  };
};

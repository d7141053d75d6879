import { endpoint } from './endpoint.ts';

type Names = { readonly items: readonly { readonly name: string }[] };

/** A key of the configuration that cannot be used, or that may not mean what it seems to. */
type ConfigurationProblem = {
  readonly severity: 'error' | 'warning';
  readonly key: string;
  readonly message: string;
};

/** What became of a notification. */
export type DeliveryView = {
  /** When it was delivered, or tried last. */
  readonly at: string;
  readonly namespace: string;
  readonly application: string;
  readonly project: string;
  readonly trigger: string;
  readonly service: string;
  readonly recipient: string;
  readonly outcome: 'delivered' | 'failed' | 'given up';
  readonly attempts: number;
  /** When it is tried again; absent: it was delivered, given up, or waits for a change of its template. */
  readonly nextAt?: string;
  /** How many applications were in the same message. */
  readonly together?: number;
  /** Why it failed. */
  readonly error?: string;
};

/** What would be sent about an application; nothing of it is a secret. */
export type NotificationPreviews = {
  readonly items: readonly {
    /** Empty: a template was requested by its name. */
    readonly trigger: string;
    /** The condition; absent where a template was requested by its name. */
    readonly when?: string;
    readonly service: string;
    readonly recipient: string;
    /** The condition holds now. */
    readonly isTriggered: boolean;
    /** Why the condition counts as false. */
    readonly problem?: string;
    /** When it was sent, in seconds since 1970; absent: it was not. */
    readonly sentAt?: number;
    readonly message?: string;
    /** The block of the template for the service. */
    readonly part?: unknown;
    /** Why there is no message. */
    readonly error?: string;
  }[];
  readonly problems: readonly ConfigurationProblem[];
};

/** The configuration of notifications as it is in force. Of a service only its name and type: its options may hold secrets. */
export type NotificationConfigView = {
  readonly services: readonly { readonly name: string; readonly type: string }[];
  readonly triggers: readonly {
    readonly name: string;
    /** No key of the ConfigMap replaces it. */
    readonly isBuiltIn: boolean;
    readonly conditions: readonly {
      readonly when: string;
      readonly oncePer?: string;
      /** The templates that are sent. */
      readonly send: readonly string[];
      readonly description?: string;
    }[];
  }[];
  readonly templates: readonly {
    readonly name: string;
    readonly isBuiltIn: boolean;
    /** As it is written, in YAML. */
    readonly text: string;
  }[];
  /** Those of the configuration; annotations of applications and projects add more. */
  readonly subscriptions: readonly {
    readonly destinations: readonly { readonly service: string; readonly recipient: string }[];
    /** Empty: the default triggers. */
    readonly triggers: readonly string[];
    /** Which applications it subscribes; empty: all. */
    readonly selector: string;
  }[];
  readonly defaultTriggers: readonly string[];
  /** Per service, where they differ. */
  readonly serviceTriggers: Readonly<Record<string, readonly string[]>>;
  /** From so many messages on they are one, how long they wait for each other, and how many a destination gets a minute. */
  readonly rules: { readonly groupFrom: number; readonly groupWaitMs: number; readonly perMinute: number };
  readonly problems: readonly ConfigurationProblem[];
};

const at = '/api/v1/notifications' as const;

/** compat server §2.8: names only, for any caller that is signed in. The last three are beyond Argo CD. */
export const notifications = {
  services: endpoint<Names>('The names of the notification services.')('GET', `${at}/services`),
  triggers: endpoint<Names & { readonly problems?: readonly ConfigurationProblem[] }>(
    'The names of the notification triggers, and what of the configuration cannot be used.',
  )('GET', `${at}/triggers`),
  templates: endpoint<Names>('The names of the notification templates.')('GET', `${at}/templates`),
  config: endpoint<NotificationConfigView>(
    'The configuration of notifications as it is in force, for those who may get every application.',
  )('GET', `${at}/config`),
  deliveries: endpoint<{ readonly items: readonly DeliveryView[] }>(
    'The last notifications about the applications that the caller may get, and what became of them.',
    { application: 'of this application only', appNamespace: 'of applications in this namespace only' },
  )('GET', `${at}/deliveries`),
  preview: endpoint<NotificationPreviews>(
    'What would be sent about an application now, for each of its subscriptions; nothing is sent.',
    {
      trigger: 'this trigger instead of those of the subscriptions',
      template: 'this template instead of those of the subscriptions',
      service:
        'the service that would get it; without it, a trigger or template is rendered for every service',
      recipient: 'the recipient that would get it',
      appNamespace: 'the namespace of the application',
    },
  )('GET', '/api/v1/applications/:name/notifications'),
} as const;

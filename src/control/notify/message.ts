/** Where a message is delivered: a service by its name, and what that service calls its recipient. */
export type NotificationDestination = { readonly service: string; readonly recipient: string };

/** A rendered message: the text for every service, and what a template says for one of them. */
export type NotificationMessage = {
  readonly message: string;
  /** The block of the service's type; of a webhook that of its name. Undefined: the template has none. */
  readonly part: unknown;
};

/** Something in the configuration that cannot be used, or that may not mean what it seems to. */
export type NotificationProblem = {
  readonly severity: 'error' | 'warning';
  /** The key of the ConfigMap, or the annotation. */
  readonly key: string;
  readonly message: string;
};

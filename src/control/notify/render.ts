import { goValue } from '#lang/go-template';
import type { NotificationConfig } from './config.ts';
import type { NotificationDestination, NotificationMessage, NotificationProblem } from './message.ts';
import { hasBlock, renderMessage } from './template.ts';

/** An object of the cluster is converted once for all messages about it. */
const converted = new WeakMap<object, unknown>();

export function goOf(object: object): unknown {
  const known = converted.get(object);
  if (known !== undefined) return known;
  const value = goValue(object);
  converted.set(object, value);
  return value;
}

/** A rendered message, and what a user may not have meant. */
export type RenderedNotification = {
  readonly notification: NotificationMessage;
  readonly problems: readonly NotificationProblem[];
};

type Chosen = {
  readonly config: NotificationConfig;
  readonly templates: readonly string[];
  readonly destination: NotificationDestination;
};

/** Throws RenderFailed with Go's message, LimitExceeded for a template that costs too much. */
export function renderWith(
  { config, templates, destination: { service } }: Chosen,
  data: Readonly<Record<string, unknown>>,
): RenderedNotification {
  const type = config.services.get(service)?.type ?? service;
  const chosen = templates.flatMap((name) => config.templates.get(name) ?? []);
  const missing = templates.filter((name) => !config.templates.has(name));
  const problems: NotificationProblem[] = missing.map((name) => ({
    severity: 'error',
    key: `template.${name}`,
    message: `there is no template ${name}`,
  }));
  const choice = { type, service };
  if (type === 'webhook' && chosen.length > 0 && !chosen.some((one) => hasBlock(one, choice)))
    problems.push({
      severity: 'warning',
      key: `template.${chosen[0]?.name}`,
      message: `it has no webhook.${service}: the webhook gets a GET request without a body`,
    });
  return { notification: renderMessage(chosen, choice, data), problems };
}

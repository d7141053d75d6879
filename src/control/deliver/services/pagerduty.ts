import { FairleadError } from '#base/std';
import { requireAccepted } from '../answer.ts';
import { below, byRecipient, filled, given, json, partOf, text } from '../fields.ts';
import type { ServiceKind } from '../service.ts';

/** compat server §6.6: an incident by PagerDuty's REST API. */
export const pagerduty: ServiceKind = {
  required: ['token', 'from'],
  optional: ['serviceId', 'apiURL'],
  async send(ctx, reach, delivery) {
    const { options, recipient, notification } = delivery;
    const part = partOf(delivery);
    const service = recipient || text(options, 'serviceId');
    if (!service) throw new FairleadError('InvalidSpec', 'there is no service id: name it as the recipient');
    const priority = filled(part, 'priorityId');
    const details = filled(part, 'body') ?? notification.message;
    const incident = given({
      type: 'incident',
      title: filled(part, 'title') ?? notification.message,
      service: { id: service, type: 'service_reference' },
      urgency: filled(part, 'urgency'),
      priority: priority && { id: priority, type: 'priority_reference' },
      body: { type: 'incident_body', details },
    });
    const answer = await reach.request(ctx, {
      url: below(text(options, 'apiURL') || 'https://api.pagerduty.com', 'incidents'),
      headers: {
        ...json,
        accept: 'application/vnd.pagerduty+json;version=2',
        authorization: `Token token=${text(options, 'token')}`,
        from: text(options, 'from'),
      },
      body: JSON.stringify({ incident }),
    });
    requireAccepted(answer);
  },
};

/** The Events API refuses a longer one. */
const longestSummary = 1024;
const severities = new Set(['critical', 'error', 'warning', 'info']);

/** compat server §6.6: an event of PagerDuty's Events API, version 2. */
export const pagerdutyV2: ServiceKind = {
  required: ['serviceKeys'],
  optional: ['apiURL'],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const severity = filled(part, 'severity') ?? 'info';
    if (!severities.has(severity))
      throw new FairleadError('InvalidSpec', 'severity is critical, error, warning or info');
    const payload = given({
      summary: (filled(part, 'summary') ?? delivery.notification.message.trim()).slice(0, longestSummary),
      severity,
      source: filled(part, 'source') ?? 'argocd',
      component: filled(part, 'component'),
      group: filled(part, 'group'),
      class: filled(part, 'class'),
    });
    const body = given({
      routing_key: byRecipient(delivery, 'serviceKeys'),
      event_action: 'trigger',
      dedup_key: filled(part, 'dedupKey'),
      client_url: filled(part, 'url'),
      payload,
    });
    const url = below(text(delivery.options, 'apiURL') || 'https://events.pagerduty.com', 'v2/enqueue');
    requireAccepted(await reach.request(ctx, { url, headers: json, body: JSON.stringify(body) }));
  },
};

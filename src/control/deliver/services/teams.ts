import { FairleadError, type JsonObject } from '#base/std';
import { is2xx, requireAccepted } from '../answer.ts';
import { byRecipient, filled, given, insecureOf, json, partOf, structure } from '../fields.ts';
import type { Delivery, ServiceKind } from '../service.ts';

/** compat server §6.6: the connector of Microsoft 365 with a MessageCard; it says `1` when it has taken one. */
export const teams: ServiceKind = {
  required: ['recipientUrls'],
  optional: ['insecureSkipVerify'],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const body = filled(part, 'template') ?? JSON.stringify(messageCard(delivery, part));
    const url = byRecipient(delivery, 'recipientUrls');
    const answer = await reach.request(ctx, { url, headers: json, body, ...insecureOf(delivery.options) });
    requireAccepted(answer);
    if (answer.text.trim() !== '1') throw new FairleadError('InvalidSpec', 'Teams did not accept the card');
  },
};

function messageCard({ notification }: Delivery, part: JsonObject): JsonObject {
  const facts = structure(part, 'facts');
  const sections = structure(part, 'sections');
  const all = [...(Array.isArray(sections) ? sections : []), ...(facts === undefined ? [] : [{ facts }])];
  return given({
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    title: filled(part, 'title'),
    summary: filled(part, 'summary') ?? filled(part, 'title') ?? firstLine(notification.message),
    text: filled(part, 'text') ?? notification.message,
    themeColor: filled(part, 'themeColor'),
    sections: all.length > 0 ? all : undefined,
    potentialAction: structure(part, 'potentialAction'),
  });
}

/** compat server §6.6: a workflow of Teams with an adaptive card; any 2xx is a success. */
export const teamsWorkflows: ServiceKind = {
  required: ['recipientUrls'],
  optional: ['insecureSkipVerify'],
  async send(ctx, reach, delivery) {
    const part = partOf(delivery);
    const content = structure(part, 'adaptiveCard') ?? adaptiveCard(delivery, part);
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
    const body = filled(part, 'template') ?? JSON.stringify({ type: 'message', attachments: [attachment] });
    const url = byRecipient(delivery, 'recipientUrls');
    const answer = await reach.request(ctx, { url, headers: json, body, ...insecureOf(delivery.options) });
    requireAccepted(answer, is2xx);
  },
};

function adaptiveCard({ notification }: Delivery, part: JsonObject): JsonObject {
  const title = filled(part, 'title');
  const facts = structure(part, 'facts');
  const pairs = Array.isArray(facts)
    ? facts.map((fact: JsonObject) => ({
        title: String(fact.name ?? fact.title ?? ''),
        value: String(fact.value ?? ''),
      }))
    : [];
  const body = [
    ...(title ? [{ type: 'TextBlock', text: title, size: 'Large', weight: 'Bolder', wrap: true }] : []),
    { type: 'TextBlock', text: filled(part, 'text') ?? notification.message, wrap: true },
    ...(pairs.length > 0 ? [{ type: 'FactSet', facts: pairs }] : []),
  ];
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
    ...given({ actions: actionsOf(structure(part, 'potentialAction')) }),
  };
}

/** The links among the actions of a MessageCard. */
function actionsOf(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined;
  const actions = value.flatMap((action: JsonObject) => {
    const [target] = Array.isArray(action.targets) ? (action.targets as JsonObject[]) : [];
    return typeof target?.uri === 'string'
      ? [{ type: 'Action.OpenUrl', title: String(action.name ?? ''), url: target.uri }]
      : [];
  });
  return actions.length > 0 ? actions : undefined;
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

type StockMessage = {
  readonly headline: string;
  readonly body: string;
  readonly colour: string;
  /** Of the one attachment that Slack and its kin get, beside headline and colour. */
  readonly attachment?: Readonly<Record<string, unknown>>;
  /** The object that the message is about, as PagerDuty names it. */
  readonly source: string;
};

/** A template of a catalog: one message in the form of each service. Its texts have no character that JSON must escape when they are rendered. */
export function stockMessage({ headline, body, colour, attachment, source }: StockMessage): string {
  const attachments = JSON.stringify([{ color: colour, title: headline, ...attachment }]);
  return JSON.stringify({
    message: body,
    email: { subject: headline, body },
    slack: { attachments },
    mattermost: { attachments },
    rocketchat: { attachments },
    teams: { title: headline, themeColor: colour, text: body },
    'teams-workflows': { title: headline, text: body },
    pagerdutyv2: { summary: headline, severity: 'warning', source },
    opsgenie: { description: body },
  });
}

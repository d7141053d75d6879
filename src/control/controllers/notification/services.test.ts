import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MailDouble } from '../../../../test/notify/doubles.ts';
import { eventually, NotificationGround } from '../../../../test/notify/ground.ts';

// compat server §6.6: every service is reached by what argocd-notifications-cm says alone, in the controller as the program runs it. What
// each of them is sent is tested in control/deliver.

let ground: NotificationGround;
let mail: MailDouble;
beforeEach(async () => {
  ground = await NotificationGround.open();
  mail = await new MailDouble().open();
});
afterEach(async () => {
  await ground.close();
  await mail.close();
});

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

/** Options by type. Each base URL begins with the type, so that a request says which service sent it. */
const options = (url: string, port: number): Record<string, object> => ({
  slack: { token: 't', apiURL: `${url}/slack` },
  webhook: { url: `${url}/webhook` },
  teams: { recipientUrls: { ops: `${url}/teams` } },
  'teams-workflows': { recipientUrls: { ops: `${url}/teams-workflows` } },
  github: { appID: 1, installationID: 2, privateKey, enterpriseBaseURL: `${url}/github` },
  gitlab: { token: 't', apiURL: `${url}/gitlab` },
  opsgenie: { apiUrl: `${url}/opsgenie`, apiKeys: { ops: 'k' } },
  grafana: { apiUrl: `${url}/grafana`, apiKey: 'k' },
  telegram: { token: '1:abcdefghijklmnopqrstuvwxyzabcdefghi', apiURL: `${url}/telegram` },
  mattermost: { apiURL: `${url}/mattermost`, token: 't' },
  rocketchat: { serverUrl: `${url}/rocketchat`, email: 'a@b.example', password: 'p' },
  pagerduty: { token: 't', from: 'a@b.example', serviceId: 'S', apiURL: `${url}/pagerduty` },
  pagerdutyv2: { serviceKeys: { ops: 'k' }, apiURL: `${url}/pagerdutyv2` },
  alertmanager: { targets: [url.replace('http://', '')], scheme: 'http', apiPath: '/alertmanager' },
  googlechat: { webhooks: { ops: `${url}/googlechat` } },
  webex: { token: 't', apiURL: `${url}/webex` },
  pushover: { token: 't', apiURL: `${url}/pushover` },
  newrelic: { apiKey: 'k', apiURL: `${url}/newrelic` },
  awssqs: { queue: 'q', region: 'eu-west-1', key: 'k', secret: 's', endpointUrl: `${url}/awssqs` },
  email: { host: '127.0.0.1', port, from: 'cd@example.com' },
});
const recipients: Record<string, string> = {
  ...{ webhook: '', github: '', gitlab: '', alertmanager: '', awssqs: '', pagerduty: 'S' },
  ...{ newrelic: '42', email: 'ops@example.com', webex: 'ops@example.com', telegram: '-100' },
};
const template = {
  message: 'm',
  webhook: { webhook: { method: 'POST', body: '{}' } },
  github: {
    status: { state: 'success', label: 'x' },
    repoURLPath: 'https://github.com/a/b',
    revisionPath: 'c0ffee1234',
  },
  gitlab: {
    status: { state: 'success', label: 'x' },
    repoURLPath: 'https://gitlab.com/a/b',
    revisionPath: 'c0ffee1234',
  },
  opsgenie: { description: 'd' },
  pagerduty: { title: 't', body: 'b' },
  pagerdutyv2: { summary: 's', severity: 'info', source: 'x' },
  alertmanager: { labels: { a: 'b' } },
  newrelic: { revision: 'c0ffee' },
};

test('every service of the list is reached by its configuration alone', async () => {
  const all = options(ground.slack.url, mail.port);
  const services = Object.entries(all).map(([type, value]) => [`service.${type}`, JSON.stringify(value)]);
  await ground.put('ConfigMap', 'argocd-notifications-cm', {
    data: {
      ...Object.fromEntries(services),
      'fairlead.delivery': '{groupWait: 0s}',
      'template.x': JSON.stringify(template),
      'trigger.x': JSON.stringify([{ when: 'true', send: ['x'] }]),
    },
  });
  const annotations = Object.keys(all).map((type) => [
    `notifications.argoproj.io/subscribe.x.${type}`,
    recipients[type] ?? 'ops',
  ]);
  await ground.put(
    'Application',
    'shop',
    {
      spec: {
        project: 'default',
        source: { repoURL: 'https://h/r', path: '.' },
        destination: { server: 'https://k' },
      },
    },
    { namespace: 'argocd', annotations: Object.fromEntries(annotations) },
  );
  ground.slack.reply = () => ({ body: '{"ok":true}' });
  ground.start();
  const reached = () => new Set(ground.slack.received.map(({ path }) => path.split(/[/?]/)[1]));
  const wanted = Object.keys(all).filter((type) => type !== 'email');
  await eventually(() => expect([...reached()].sort()).toEqual(wanted.sort()));
  await eventually(() => expect(mail.received).toMatchObject([{ to: ['ops@example.com'] }]));
});

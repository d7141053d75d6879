import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Application, AppProject } from '#base/model';
import { parse } from '#lang/yaml';
import {
  catalog,
  decideNotifications,
  isStatusCurrent,
  maskSecrets,
  type NotificationSubject,
  readNotifications,
  renderNotification,
} from './index.ts';

// compat server §6: from the configuration and an application to the messages that are due

const now = Date.parse('2026-06-01T08:00:00Z');

type Data = Record<string, string>;
const config = (data: Data, secrets: Data = {}, more: object = {}) =>
  readNotifications({ namespace: 'argocd', data, secrets, argocdUrl: 'https://cd.example', ...more });

const services = { 'service.slack': 'token: t', 'service.email': 'host: h' };

function application(annotations: Data = {}, status: object = {}): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd', uid: 'u1', annotations, labels: { team: 'blue' } },
    spec: {
      project: 'default',
      source: { repoURL: 'git@github.com:acme/shop.git', path: '.' },
      destination: { namespace: 'shop' },
    },
    status: { health: { status: 'Degraded' }, sync: { status: 'Synced', revision: 'abc1234def' }, ...status },
  } as unknown as Application;
}

const subject = (app: Application, more: Partial<NotificationSubject> = {}): NotificationSubject => ({
  app,
  project: undefined,
  now: () => now,
  commit: () => undefined,
  ...more,
});

const subscribe = (trigger: string, service: string, to: string): Data => ({
  [`notifications.argoproj.io/subscribe.${trigger}.${service}`]: to,
});

const degraded = subscribe('on-health-degraded', 'slack', 'alerts');

test('seed 002 loads with no error, and with defaultTriggers.slack as a text with exactly that one', () => {
  const { data } = parse(readFileSync('test/seeds/testdata/002/argocd-notifications-cm.yaml', 'utf8')) as {
    data: Data;
  };
  const errors = (more: Data) =>
    config({ ...data, ...more }, { 'slack-token': 'x' }).problems.filter(
      ({ severity }) => severity === 'error',
    );
  expect(errors({})).toEqual([]);
  const defaults = { defaultTriggers: '- on-sync-failed\n', 'defaultTriggers.slack': 'alerts-channel' };
  expect(errors(defaults)).toEqual([
    {
      severity: 'error',
      key: 'defaultTriggers.slack',
      message:
        'it must be a list of the names of triggers; to set a recipient for all applications write it under subscriptions, as in recipients: ["slack:alerts-channel"]',
    },
  ]);
});

test('a condition that holds is due once: the mark has the form of the peer', () => {
  const read = config({
    ...services,
    'trigger.on-health-degraded':
      "- when: app.status.health.status == 'Degraded'\n  send: [app-health-degraded]",
  });
  const { due } = decideNotifications([read], subject(application(degraded)));
  // printf %s "app.status.health.status == 'Degraded'" | sha1sum | xxd -r -p | base64 | tr +/ -_
  const mark = 'on-health-degraded:[0].zoG5zUjYGjimkwCGgIQGjx1hO5s=:slack:alerts';
  expect(due).toMatchObject([{ trigger: 'on-health-degraded', mark, isOncePer: false }]);
  const sent = new Map([[mark, { at: 1, isOncePer: false }]]);
  const after = decideNotifications([read], subject(application(degraded)), sent);
  expect(after).toMatchObject({ due: [], marks: { [mark]: 1 } });
  const marked = { ...degraded, 'notified.notifications.argoproj.io': JSON.stringify({ [mark]: 1 }) };
  const settled = decideNotifications([read], subject(application(marked)));
  expect(settled).toMatchObject({ due: [], marks: undefined });
  const healthy = application(marked, { health: { status: 'Healthy' } });
  expect(decideNotifications([read], subject(healthy)).marks).toEqual({});
});

test('with oncePer the mark stays when the condition does not hold any more', () => {
  const state = { operationState: { phase: 'Succeeded', syncResult: { revision: 'r1' } } };
  const annotations = subscribe('on-sync-succeeded', 'slack', 'alerts');
  const [due] = decideNotifications([config(services)], subject(application(annotations, state))).due;
  expect(due?.mark).toMatch(/^r1:on-sync-succeeded:\[0\]\.[\w-]{27}=:slack:alerts$/);
  const marked = {
    ...annotations,
    'notified.notifications.argoproj.io': JSON.stringify({ [due?.mark ?? '']: 1 }),
  };
  const running = { operationState: { phase: 'Running', syncResult: { revision: 'r1' } } };
  expect(
    decideNotifications([config(services)], subject(application(marked, running))).marks,
  ).toBeUndefined();
  const next = { operationState: { phase: 'Succeeded', syncResult: { revision: 'r2' } } };
  expect(decideNotifications([config(services)], subject(application(marked, next))).due).toHaveLength(1);
  // the next revision came before the mark of the last was written
  const sent = new Map([[due?.mark ?? '', { at: 5, isOncePer: true }]]);
  const late = decideNotifications([config(services)], subject(application(annotations, next)), sent);
  expect(late.marks).toEqual({ [due?.mark ?? '']: 5 });
});

test('subscriptions of the application, its project and the configuration are one set', () => {
  const data = {
    ...services,
    defaultTriggers: '[on-created]',
    'defaultTriggers.email': '[on-deleted]',
    subscriptions:
      '- recipients: ["slack:all", "email:a@b.example"]\n  triggers: [on-created]\n  selector: team=blue\n- recipients: ["slack:red"]\n  selector: team=red',
  };
  const app = application({
    'notifications.argoproj.io/subscribe.slack': 'all; more ;',
    'notifications.argoproj.io/subscribe.email': 'x@y.example',
    'notifications.argoproj.io/subscriptions':
      '[{trigger: [on-created], destinations: [{service: slack, recipients: [listed]}]}]',
    'on-created.recipients.argocd-notifications.argoproj.io': 'slack:old, slack:older',
  });
  const project = {
    metadata: { annotations: subscribe('on-created', 'slack', 'all;project') },
  } as unknown as AppProject;
  const { due, problems } = decideNotifications([config(data)], subject(app, { project }));
  expect(problems).toEqual([]);
  expect(due.map(({ trigger, destination: d }) => `${trigger} ${d.service}:${d.recipient}`).sort()).toEqual([
    'on-created email:a@b.example',
    'on-created slack:all',
    'on-created slack:listed',
    'on-created slack:more',
    'on-created slack:old',
    'on-created slack:older',
    'on-created slack:project',
  ]);
});

test.each<[string, Data, Data, string]>([
  [
    'an unknown trigger',
    subscribe('on-fire', 'slack', 'x'),
    {},
    'trigger.on-fire: there is no trigger on-fire; there are on-created',
  ],
  [
    'an unknown service',
    subscribe('on-created', 'slak', 'x'),
    {},
    'service.slak: there is no usable service slak; there are slack, email',
  ],
  [
    'a service without default triggers',
    { 'notifications.argoproj.io/subscribe.slack': 'x' },
    {},
    'notifications.argoproj.io/subscribe.slack: it names no trigger',
  ],
  [
    'a condition that fails',
    subscribe('on-x', 'slack', 'x'),
    { 'trigger.on-x': '- when: app.metadata.name + 1 == 2\n  send: [app-created]' },
    'trigger.on-x: expression: ',
  ],
  [
    'a list that is none',
    { 'notifications.argoproj.io/subscriptions': 'x: y' },
    {},
    'notifications.argoproj.io/subscriptions: it is not a list',
  ],
])('%s is a problem by name, and the rest is delivered', (_name, annotations, data, problem) => {
  const app = application({ ...annotations, ...degraded });
  const { due, problems } = decideNotifications([config({ ...services, ...data })], subject(app));
  expect(problems.map(({ key, message }) => `${key}: ${message}`)[0]).toContain(problem);
  expect(due.map(({ trigger }) => trigger)).toEqual(['on-health-degraded']);
});

test.each<[string, string, string]>([
  ['service.a.b.c', 'x: y', 'a service is written as service.<type>'],
  ['trigger.x', 'when: true', 'a trigger is a list of conditions'],
  ['trigger.x', '- send: [a]', 'condition 1 has no when'],
  ['trigger.x', '- when: "1 +"\n  send: [a]', 'unexpected'],
  ['trigger.x', '- when: true\n  send: [nothing]', 'there is no template nothing'],
  ['template.x', 'message: "{{.a"', 'unclosed action'],
  ['subscriptions', '- recipients: slack', 'entry 1: recipients is not a list'],
  ['config.yaml', 'x', 'it is not a map of fields'],
  ['config.yaml', 'triggers: [{ condition: "true" }]', 'triggers[0] has no name'],
  ['notifiers.yaml', 'x', 'it is read from argocd-notifications-secret'],
  ['fairlead.delivery', 'perMinute: 0', 'perMinute is 0'],
  ['anything', 'x', 'no effect: no such key is read'],
])('%s: %j is a problem of that key alone', (key, text, message) => {
  const read = config({ ...services, [key]: text });
  expect(read.problems).toHaveLength(1);
  expect(read.problems[0]).toMatchObject({ key, message: expect.stringContaining(message) });
  expect([...read.services.keys()]).toEqual(['slack', 'email']);
});

test('references to secrets are replaced in scalars, and an unknown one stays and is reported', () => {
  const data = {
    'service.webhook.w': 'url: https://$host/x\nheaders: [{name: a, value: "Bearer $token"}]\nextra: $gone',
  };
  const read = config(data, { host: 'h.example', token: 'sec\nret: injected\n' });
  expect(read.services.get('w')?.options).toEqual({
    url: 'https://h.example/x',
    headers: [{ name: 'a', value: 'Bearer sec\nret: injected' }],
    extra: '$gone',
  });
  expect(read.problems).toEqual([
    {
      severity: 'warning',
      key: 'service.webhook.w',
      message: 'argocd-notifications-secret has no key gone; $gone stays as it is written',
    },
  ]);
});

test('texts of others lose the secrets that they quote, in every spelling', () => {
  const secrets = { a: 'pass word/1', b: 'pass', short: 'x' };
  const text = `no ${encodeURIComponent('pass word/1')} and pass word/1, ${JSON.stringify('pass')} x`;
  expect(maskSecrets(text, secrets)).toBe('no *** and ***, "***" x');
});

test('every template of the catalog renders for a bare application and for a full one', () => {
  const read = config({ 'service.slack': 'token: t', 'service.email': 'host: h' });
  const full = application(
    {},
    {
      operationState: {
        phase: 'Failed',
        message: 'no "x"',
        startedAt: 'a',
        finishedAt: 'b',
        syncResult: { revision: 'abcdef0123456789' },
      },
      conditions: [{ type: 'ComparisonError', message: 'cannot' }],
    },
  );
  const bare = {
    ...application(),
    status: { operationState: { syncResult: {} }, health: {}, sync: {} },
  } as Application;
  for (const key of Object.keys(catalog).filter((one) => one.startsWith('template.')))
    for (const app of [full, bare])
      for (const service of ['slack', 'email']) {
        const due = {
          config: read,
          templates: [key.slice('template.'.length)],
          destination: { service, recipient: 'x' },
        };
        const { notification } = renderNotification(due, subject(app));
        expect(notification.message).toMatch(/^Application shop /);
        expect(notification.message).toContain('Details: https://cd.example/applications/argocd/shop');
        if (service === 'slack')
          JSON.parse(String((notification.part as { attachments: string }).attachments));
      }
});

test('templates have the functions and variables of the peer', () => {
  const data = {
    ...services,
    'template.t': `message: |-
  {{call .repo.FullNameByRepoURL .app.spec.source.repoURL}} {{call .repo.RepoURLToHTTPS .app.spec.source.repoURL}}
  {{call .repo.QueryEscape "a b&c"}} {{call .strings.ToUpper "x"}} {{(call .time.Parse "2026-01-02T03:04:05Z").Format .time.RFC1123}}
  {{(call .repo.GetCommitMetadata "abc").Author}} {{(call .repo.GetCommitMetadata "abc").Date.Year}} {{call .sync.GetInfoItem .app "why"}}
  {{.secrets.key}} {{.serviceType}} {{.recipient}} {{.context.argocdUrl}} {{.context.colour}} {{.context.notificationType}} {{.app.status.sync.revision | trunc 3}}`,
    context: 'colour: red',
  };
  const app = application(
    {},
    { operationState: { operation: { info: [{ name: 'why', value: 'because' }] } } },
  );
  const commit = () => ({ author: 'Ann', message: 'm', date: new Date(now), tags: [] });
  const due = {
    config: config(data, { key: 'v' }),
    templates: ['t'],
    destination: { service: 'slack', recipient: 'c' },
  };
  expect(renderNotification(due, subject(app, { commit })).notification.message).toBe(
    `acme/shop https://github.com/acme/shop.git
a+b%26c X Fri, 02 Jan 2026 03:04:05 UTC
Ann 2026 because
v slack c https://cd.example red slack abc`,
  );
});

test('conditions have them too', () => {
  const when = `time.Now().Sub(time.Parse("2026-06-01T07:00:00Z")).Minutes() >= 60 && repo.GetCommitMetadata("x").Author == "Ann" && strings.ToUpper(app.metadata.name) == "SHOP" && secrets.key == "v" && sync.GetInfoItem(app, "a") == ""`;
  const data = { ...services, 'trigger.t': JSON.stringify([{ when, send: ['app-created'] }]) };
  const commit = () => ({ author: 'Ann', message: 'm', date: new Date(now), tags: [] });
  const app = application(subscribe('t', 'slack', 'x'));
  const decision = decideNotifications([config(data, { key: 'v' })], subject(app, { commit }));
  expect(decision.problems).toEqual([]);
  expect(decision.due).toHaveLength(1);
});

test('a template that loops ends, and so does a condition that does', () => {
  const loop = '{{range $i, $x := until 100000}}{{range until 100000}}{{end}}{{end}}';
  const data = { ...services, 'template.t': JSON.stringify({ message: loop }) };
  const due = { config: config(data), templates: ['t'], destination: { service: 'slack', recipient: 'c' } };
  expect(() => renderNotification(due, subject(application()))).toThrow(/needs more than/);
  const when = 'len(filter(1..100000, len(filter(1..100000, # > 1)) > 1)) > 1';
  const slow = config({ ...services, 'trigger.t': JSON.stringify([{ when, send: ['app-created'] }]) });
  const { due: none, problems } = decideNotifications(
    [slow],
    subject(application(subscribe('t', 'slack', 'x'))),
  );
  expect([none, problems.map(({ message }) => message)]).toEqual([
    [],
    [expect.stringContaining('needs more than')],
  ]);
});

test('a configuration of an application namespace has marks of its own and sees no secrets', () => {
  const own = readNotifications({
    namespace: 'team',
    isSelfService: true,
    data: { ...services, 'template.app-health-degraded': 'message: "{{.secrets.key}}"' },
    secrets: { key: 'v' },
    argocdUrl: '',
  });
  const [due] = decideNotifications([own], subject(application(degraded))).due;
  expect(due?.mark).toMatch(/^<nil>:team:on-health-degraded:/);
  expect(due && renderNotification(due, subject(application())).notification.message).toBe('<no value>');
});

test('several templates make one message, and the later one wins', () => {
  const data = {
    ...services,
    'template.a': 'message: one\nslack: {attachments: "[]", groupingKey: g}',
    'template.b': 'slack: {attachments: "[1]"}',
  };
  const due = {
    config: config(data),
    templates: ['a', 'b'],
    destination: { service: 'slack', recipient: 'c' },
  };
  expect(renderNotification(due, subject(application())).notification).toEqual({
    message: 'one',
    part: { attachments: '[1]', groupingKey: 'g' },
  });
});

test('a webhook without an entry in the template is a warning', () => {
  const read = config({ 'service.webhook.grafana': 'url: https://g.example' });
  const due = {
    config: read,
    templates: ['app-created'],
    destination: { service: 'grafana', recipient: '' },
  };
  expect(renderNotification(due, subject(application())).problems).toMatchObject([
    { severity: 'warning', key: 'template.app-created', message: expect.stringContaining('webhook.grafana') },
  ]);
});

test('an application has at most 100 marks; the oldest go, but none that still holds', () => {
  const marks = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`old${at}`, at + 1]));
  const annotations = { ...degraded, 'notified.notifications.argoproj.io': JSON.stringify(marks) };
  const read = config(services);
  const [due] = decideNotifications([read], subject(application(annotations))).due;
  const sent = new Map([[due?.mark ?? '', { at: 0, isOncePer: true }]]);
  const after = decideNotifications([read], subject(application(annotations)), sent).marks ?? {};
  expect(Object.keys(after)).toHaveLength(100);
  expect(after).toHaveProperty([due?.mark ?? ''], 0);
  expect(after).not.toHaveProperty('old20');
  expect(after).toHaveProperty('old21');
});

test.each([
  [{}, true],
  [{ operationState: { phase: 'Running' } }, true],
  [{ operationState: { phase: 'Succeeded', finishedAt: '2026-01-01T00:00:02Z' } }, false],
  [
    {
      operationState: { phase: 'Succeeded', finishedAt: '2026-01-01T00:00:02Z' },
      reconciledAt: '2026-01-01T00:00:01Z',
    },
    false,
  ],
  [
    {
      operationState: { phase: 'Failed', finishedAt: '2026-01-01T00:00:02Z' },
      reconciledAt: '2026-01-01T00:00:02Z',
    },
    true,
  ],
])('§6.5: a status is judged when it is as new as the last operation: %j', (status, isCurrent) => {
  expect(isStatusCurrent({ ...application(), status } as Application)).toBe(isCurrent);
});

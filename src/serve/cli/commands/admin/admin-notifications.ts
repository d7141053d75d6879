import type { Command } from 'commander';
import type { ConfigMapFields } from '#base/model';
import { FairleadError, printJson, realClock, silent } from '#base/std';
import type { deliver } from '#control/deliver';
import {
  catalog,
  maskSecrets,
  type NotificationMessage,
  renderNotification,
  runTrigger,
} from '#control/notify';
import { parse, print } from '#lang/yaml';
import type { DeliveryView } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { exampleTable } from '../../input/examples.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { table } from '../../output/table.ts';
import { onCluster } from '../../session/kube.ts';
import {
  type LoadedNotifications,
  loadNotifications,
  loadSubject,
  type NotificationFlags,
} from './admin-notifications-source.ts';

type GetFlags = NotificationFlags & { output: string };
type NotifyFlags = NotificationFlags & { recipient: string[] };

/** compat server §8.6: tries out triggers and templates, offline on files or on the cluster. */
export function addAdminNotifications(admin: Command, deps: CliDeps): void {
  const group = admin
    .command('notifications')
    .description('try out triggers and templates, and see deliveries');
  const trigger = group.command('trigger').description('work with triggers');
  const template = group.command('template').description('work with templates');
  listing(trigger.command('get [name]').description('print the triggers, or one of them')).action(
    async (name: string | undefined, flags: GetFlags) =>
      deps.io.out(triggers(await loaded(deps, flags), name, flags)),
  );
  from(trigger.command('run <name> <application>'))
    .description('report what the conditions of a trigger say of an application, or of the one in a file')
    .action((name: string, app: string, flags: NotificationFlags) => run(deps, name, app, flags));
  listing(template.command('get [name]').description('print the templates, or one of them')).action(
    async (name: string | undefined, flags: GetFlags) =>
      deps.io.out(templates(await loaded(deps, flags), name, flags)),
  );
  from(template.command('notify <name> <application>'))
    .description('render a template for an application, or for the one in a file, and send it')
    .option(
      '--recipient <service:recipient>',
      'where to send it; console:stdout prints it (may be repeated)',
      (value: string, all: string[]) => [...(all[0] === 'console:stdout' ? [] : all), value],
      ['console:stdout'],
    )
    .action((name: string, app: string, flags: NotifyFlags) => notify(deps, name, app, flags));
  from(group.command('deliveries'))
    .description('print the last deliveries, and what became of them')
    .action((flags: NotificationFlags) => deliveries(deps, flags));
  exampleTable(trigger, {
    get: [
      'fairlead admin notifications trigger get',
      'fairlead admin notifications trigger get on-deployed -o yaml',
    ],
    run: ['fairlead admin notifications trigger run on-deployed guestbook'],
  });
  exampleTable(template, {
    get: ['fairlead admin notifications template get app-deployed -o yaml'],
    notify: [
      'fairlead admin notifications template notify app-deployed guestbook --recipient slack:my-channel',
    ],
  });
  exampleTable(group, { deliveries: ['fairlead admin notifications deliveries'] });
}

const from = (command: Command): Command =>
  command
    .option('--config-map <path>', 'a file with argocd-notifications-cm, instead of that of the cluster')
    .option('--secret <path>', 'a file with argocd-notifications-secret; :empty for none')
    .option('-n, --namespace <name>', 'where the control plane keeps its objects', 'argocd')
    .option('--kubeconfig <path>', 'how to reach the cluster (default: as kubectl does)')
    .option('--context <name>', 'the context of the kubeconfig');

const listing = (command: Command): Command =>
  from(command).option('-o, --output <format>', 'json, yaml, wide or name', 'wide');

/** What cannot be used is on standard error; the rest works. */
async function loaded({ io, signal }: CliDeps, flags: NotificationFlags): Promise<LoadedNotifications> {
  const found = await loadNotifications({ io, signal }, flags);
  for (const { severity, key, message } of found.config.problems) io.err(`${severity}: ${key}: ${message}\n`);
  return found;
}

function triggers({ config }: LoadedNotifications, name: string | undefined, { output }: GetFlags): string {
  const all = [...config.triggers]
    .filter(([one]) => name === undefined || one === name)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (name !== undefined && all.length === 0) throw missing('trigger', name);
  const views = all.map(([one, conditions]) => ({
    name: one,
    trigger: conditions.map(({ when, send, oncePer, description }) => ({
      ...{ when, send, ...(oncePer && { oncePer }), ...(description && { description }) },
    })),
  }));
  const rows = all.flatMap(([one, conditions]) =>
    conditions.map(({ when, send }) => [one, send.join(', '), when]),
  );
  return printed(output, views, () => table(['NAME', 'TEMPLATE', 'CONDITION'], rows));
}

function templates(
  { config, data }: LoadedNotifications,
  name: string | undefined,
  { output }: GetFlags,
): string {
  const all = [...config.templates.keys()].filter((one) => name === undefined || one === name).sort();
  if (name !== undefined && all.length === 0) throw missing('template', name);
  const views = all.map((one) => ({
    name: one,
    template: parse({ ...catalog, ...data }[`template.${one}`] ?? ''),
  }));
  const preview = (value: unknown): string =>
    String((value as { message?: string }).message ?? '')
      .trim()
      .split('\n', 1)[0]
      ?.slice(0, 60) ?? '';
  return printed(output, views, () =>
    table(
      ['NAME', 'PREVIEW'],
      views.map(({ name: one, template }) => [one, preview(template)]),
    ),
  );
}

function printed(output: string, views: readonly { readonly name: string }[], wide: () => string): string {
  if (output === 'wide' || output === '') return wide();
  if (output === 'name') return views.map(({ name }) => `${name}\n`).join('');
  if (output === 'yaml') return print(views);
  if (output === 'json') return `${printJson(views)}\n`;
  throw new ExitError(usageExitCode, `-o ${output} is not known: use json, yaml, wide or name`);
}

const missing = (kind: string, name: string): ExitError =>
  new ExitError(usageExitCode, `there is no ${kind} ${name}`);

async function run(deps: CliDeps, name: string, app: string, flags: NotificationFlags): Promise<void> {
  const { config } = await loaded(deps, flags);
  if (!config.triggers.has(name)) throw missing('trigger', name);
  const results = runTrigger(config, name, await loadSubject(deps, flags, app));
  const rows = results.map(({ condition, isTriggered, oncePer, problem }) => [
    condition.when,
    problem === undefined ? String(isTriggered) : `error: ${maskSecrets(problem, config.secrets)}`,
    maskSecrets(oncePer, config.secrets),
  ]);
  deps.io.out(table(['CONDITION', 'RESULT', 'ONCE PER'], rows));
}

async function notify(deps: CliDeps, name: string, app: string, flags: NotifyFlags): Promise<void> {
  const { config } = await loaded(deps, flags);
  if (!config.templates.has(name)) throw missing('template', name);
  const subject = await loadSubject(deps, flags, app);
  for (const to of flags.recipient) {
    const [service = '', ...rest] = to.split(':');
    const destination = { service, recipient: rest.join(':') };
    const { notification } = renderNotification({ config, templates: [name], destination }, subject);
    if (service === 'console') deps.io.out(maskSecrets(shown(notification), config.secrets));
    else await sent(deps, { config, ...destination, notification });
  }
}

const shown = ({ message, part }: NotificationMessage): string =>
  `${message.trimEnd()}\n${part === undefined ? '' : print(part)}`;

/** The user of this machine may reach it, as with `fairlead render`. */
async function sent({ io, signal }: CliDeps, one: Parameters<typeof deliver>[2]): Promise<void> {
  const { HTTP_PROXY: http, HTTPS_PROXY: https, ALL_PROXY: all, NO_PROXY: noProxy } = io.env;
  const proxy = {
    ...(http && { http }),
    ...(https && { https }),
    ...(all && { all }),
    ...(noProxy && { noProxy }),
  };
  const outside = () => ({ egress: { loopback: true }, proxy, trust: { certificates: {}, knownHosts: '' } });
  const { deliver: send, openReach } = await import('#control/deliver');
  const reach = openReach(outside, { get: () => undefined, put: () => {} });
  try {
    await send({ signal, log: silent, clock: realClock }, reach, one);
    io.out(`sent to ${one.service}:${one.recipient}\n`);
  } catch (error) {
    const { message } = FairleadError.from(error);
    throw new ExitError(usageExitCode, `not sent to ${one.service}:${one.recipient}: ${message}`);
  }
}

async function deliveries(deps: CliDeps, flags: NotificationFlags): Promise<void> {
  const ref = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'fairlead-notifications',
    namespace: flags.namespace,
  };
  const found = await onCluster(deps, flags, ({ ctx, kube }) => kube.find(ctx, ref));
  const { data = {} } = (found ?? {}) as ConfigMapFields;
  const records = JSON.parse(data.deliveries ?? '[]') as readonly DeliveryView[];
  const rows = records.map((one) => [
    ...[one.at, one.application, one.trigger, `${one.service}:${one.recipient}`],
    ...[one.outcome, String(one.attempts), one.error ?? ''],
  ]);
  deps.io.out(table(['TIME', 'APPLICATION', 'TRIGGER', 'TO', 'OUTCOME', 'ATTEMPTS', 'ERROR'], rows));
}

import type { builtInTriggers } from '#base/model';
import { stockMessage } from './stock-message.ts';

const name = '{{.app.metadata.name}}';
const page =
  '{{with .context.argocdUrl}}{{.}}/applications/{{$.app.metadata.namespace}}/{{$.app.metadata.name}}{{end}}';

type BuiltInTrigger = keyof typeof builtInTriggers;
type BuiltInTemplate = (typeof builtInTriggers)[BuiltInTrigger];
type BuiltInKey = `trigger.${BuiltInTrigger}` | `template.${BuiltInTemplate}`;

/**
 * compat server §6.7: the triggers and templates that every installation has, under the peer's names and with texts of our
 * own. A key of argocd-notifications-cm with the same name takes precedence.
 */
const builtIn: Readonly<Record<BuiltInKey, string>> = {
  'trigger.on-created': trigger({ when: 'true', send: 'app-created', oncePer: 'app.metadata.name' }),
  'trigger.on-deleted': trigger({
    when: 'app.metadata.deletionTimestamp != nil',
    send: 'app-deleted',
    oncePer: 'app.metadata.name',
  }),
  'trigger.on-deployed': trigger({
    when: "app.status.operationState.phase in ['Succeeded'] and app.status.health.status == 'Healthy'",
    send: 'app-deployed',
    oncePer: 'app.status.operationState?.syncResult?.revision',
  }),
  'trigger.on-health-degraded': trigger({
    when: "app.status.health.status == 'Degraded'",
    send: 'app-health-degraded',
    oncePer: 'app.status.operationState?.syncResult?.revision',
  }),
  'trigger.on-sync-failed': trigger({
    when: "app.status.operationState.phase in ['Error', 'Failed']",
    send: 'app-sync-failed',
    oncePer: 'app.status.operationState?.syncResult?.revision',
  }),
  'trigger.on-sync-running': trigger({
    when: "app.status.operationState.phase in ['Running']",
    send: 'app-sync-running',
    oncePer: 'app.status.operationState?.syncResult?.revision',
  }),
  'trigger.on-sync-status-unknown': trigger({
    when: "app.status.sync.status == 'Unknown'",
    send: 'app-sync-status-unknown',
  }),
  'trigger.on-sync-succeeded': trigger({
    when: "app.status.operationState.phase in ['Succeeded']",
    send: 'app-sync-succeeded',
    oncePer: 'app.status.operationState?.syncResult?.revision',
  }),
  'template.app-created': template({
    title: 'was created',
    colour: '#0d6efd',
    text: 'Its source is {{(index (default (list .app.spec.source) .app.spec.sources) 0).repoURL}}.',
  }),
  'template.app-deleted': template({ title: 'is being deleted', colour: '#6c757d', text: '' }),
  'template.app-deployed': template({
    title: 'is live and healthy',
    colour: '#18be52',
    text: 'Revision {{default "unknown" .app.status.operationState.syncResult.revision | trunc 12}} is running.',
  }),
  'template.app-health-degraded': template({
    title: 'is degraded',
    colour: '#f4c030',
    text: '{{with .app.status.health.message}}{{.}}{{else}}At least one of its resources is not healthy.{{end}}',
  }),
  'template.app-sync-failed': template({
    title: 'could not be synced',
    colour: '#e96d76',
    text: 'The sync ended at {{.app.status.operationState.finishedAt}}: {{.app.status.operationState.message}}',
  }),
  'template.app-sync-running': template({
    title: 'is being synced',
    colour: '#0dadea',
    text: 'The sync began at {{.app.status.operationState.startedAt}}.',
  }),
  'template.app-sync-status-unknown': template({
    title: 'cannot be compared with its source',
    colour: '#e96d76',
    text: '{{range .app.status.conditions}}{{.type}}: {{.message}}\n{{end}}',
  }),
  'template.app-sync-succeeded': template({
    title: 'was synced',
    colour: '#18be52',
    text: 'The sync ended at {{.app.status.operationState.finishedAt}}.',
  }),
};
export const catalog: Readonly<Record<string, string>> = builtIn;

type Condition = { readonly when: string; readonly send: BuiltInTemplate; readonly oncePer?: string };

/** JSON is YAML: the catalog is read by the same code as the ConfigMap. */
function trigger({ when, send, oncePer }: Condition): string {
  return JSON.stringify([{ when, send: [send], ...(oncePer && { oncePer }) }]);
}

type Words = { readonly title: string; readonly colour: string; readonly text: string };

function template({ title, colour, text }: Words): string {
  const headline = `${name} ${title}`;
  const link = `{{if .context.argocdUrl}}Details: ${page}{{end}}`;
  const body = [`Application ${headline}.`, text, link].filter(Boolean).join('\n');
  const attachment = {
    title_link: page,
    fields: [
      { title: 'Sync', value: '{{.app.status.sync.status}}', short: true },
      { title: 'Health', value: '{{.app.status.health.status}}', short: true },
    ],
  };
  return stockMessage({ headline, body, colour, attachment, source: name });
}

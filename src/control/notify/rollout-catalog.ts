import { stockMessage } from './stock-message.ts';

/** What triggers of Rollouts are called (compat rollouts RE-2): the reason of an event in kebab case, with `on-` before it. */
export const triggerOf = (reason: string): string =>
  `on-${reason.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()}`;

const name = '{{.rollout.metadata.namespace}}/{{.rollout.metadata.name}}';
const images =
  '{{with .rollout.spec.template}}{{range .spec.containers}}\n{{.name}}: {{.image}}{{end}}{{end}}';

type Words = { readonly template: string; readonly title: string; readonly colour: string };

/** The triggers of Argo Rollouts, each with the name of its template. */
const stock: Readonly<Record<string, Words>> = {
  'on-rollout-updated': { template: 'rollout-updated', title: 'was updated', colour: '#0d6efd' },
  'on-rollout-completed': { template: 'rollout-completed', title: 'is complete', colour: '#18be52' },
  'on-rollout-step-completed': {
    template: 'rollout-step-completed',
    title: 'has completed a step',
    colour: '#0dadea',
  },
  'on-rollout-paused': { template: 'rollout-paused', title: 'is paused', colour: '#f4c030' },
  'on-rollout-aborted': { template: 'rollout-aborted', title: 'was aborted', colour: '#e96d76' },
  'on-scaling-replica-set': {
    template: 'scaling-replicaset',
    title: 'is being scaled',
    colour: '#0dadea',
  },
  'on-analysis-run-running': {
    template: 'analysis-run-running',
    title: 'is being analysed',
    colour: '#0dadea',
  },
  'on-analysis-run-error': {
    template: 'analysis-run-error',
    title: 'could not be analysed',
    colour: '#e96d76',
  },
  'on-analysis-run-failed': {
    template: 'analysis-run-failed',
    title: 'failed its analysis',
    colour: '#e96d76',
  },
};

/**
 * compat rollouts RE-2: the triggers and templates of every installation, under the peer's names and with texts of our own. A
 * key of argo-rollouts-notification-configmap with the same name takes precedence.
 */
export const rolloutCatalog: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(stock).flatMap(([trigger, words]) => [
    [`trigger.${trigger}`, JSON.stringify([{ send: [words.template] }])],
    [`template.${words.template}`, templateOf(words)],
  ]),
);

function templateOf({ title, colour }: Words): string {
  const headline = `${name} ${title}`;
  const body = `{{.rollout.kind}} ${headline}.\n{{.event.message}}${images}`;
  return stockMessage({ headline, body, colour, source: name });
}

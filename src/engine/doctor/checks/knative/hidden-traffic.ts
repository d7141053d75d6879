import type { KubeObject } from '#base/model';
import type { Check, Flaw, Inventory } from '../../check.ts';
import { application, kindKey, knativeService, listAt, textAt, textsAt, valueAt } from '../../kinds.ts';
import { dataOf } from '../settings/config-map.ts';

const hiding = /^\.spec(?:\.traffic\b.*)?$/;

/** The rules of an Application that leave the traffic of a Knative Service out, each with its path. */
function hidingRules(app: KubeObject): { at: readonly (string | number)[]; name: string | undefined }[] {
  return listAt(app, ['spec', 'ignoreDifferences']).flatMap((rule, i) => {
    const group = textAt(rule, ['group']) ?? '';
    const kind = textAt(rule, ['kind']) ?? '';
    if (!['serving.knative.dev', '*', '*.knative.dev'].includes(group) || !['Service', '*'].includes(kind))
      return [];
    const above = ['spec', 'ignoreDifferences', i];
    const name = textAt(rule, ['name']);
    const pointers = textsAt(rule, ['jsonPointers']).flatMap((text, at) =>
      text === '/spec' || text === '/spec/traffic' || text.startsWith('/spec/traffic/')
        ? [{ at: [...above, 'jsonPointers', at], name }]
        : [],
    );
    const paths = textsAt(rule, ['jqPathExpressions']).flatMap((text, at) =>
      hiding.test(text.trim()) ? [{ at: [...above, 'jqPathExpressions', at], name }] : [],
    );
    return [...pointers, ...paths];
  });
}

/** compat engine X-43: the rule of an Application and the traffic that its manifests declare contradict each other. */
export const knativeHiddenTraffic: Check = {
  id: 'knative-hidden-traffic',
  title: 'an ignore rule hides a traffic split that Git declares',
  severity: 'error',
  why: 'with RespectIgnoreDifferences=true the declared split is never applied, and the application is Synced all the same: a promotion or a rollback in Git does nothing.',
  fix: 'remove /spec/traffic from ignoreDifferences: Fairlead ignores traffic that Git does not declare by itself',
  reads: [application, 'ConfigMap'],
  *find(object, inventory) {
    yield* object.kind === 'ConfigMap'
      ? hiddenBySettings(object, inventory)
      : hiddenByRules(object, inventory);
  },
};

const declaresTraffic = (target: KubeObject): boolean =>
  kindKey(target) === knativeService && valueAt(target, ['spec', 'traffic']) !== undefined;

function* hiddenByRules(app: KubeObject, inventory: Inventory): Generator<Flaw> {
  const options = textsAt(app, ['spec', 'syncPolicy', 'syncOptions']);
  const isApplied = !options.includes('RespectIgnoreDifferences=true');
  for (const { at, name } of hidingRules(app)) {
    const hidden = inventory
      .targetsOf(app)
      .find((target) => declaresTraffic(target) && (name === undefined || name === target.metadata.name));
    if (hidden)
      yield {
        at,
        message: `the traffic of ${hidden.metadata.name} is declared in Git and ignored here: ${isApplied ? 'it is applied, but drift of it is not seen' : 'it is never applied'}`,
        ...(isApplied && { severity: 'warning' as const }),
      };
  }
}

/** The rules of the installation are about every application, whatever its options are. */
function* hiddenBySettings(object: KubeObject, inventory: Inventory): Generator<Flaw> {
  const data = dataOf(object, 'argocd-cm') ?? {};
  const hidden = inventory.all(knativeService).find(declaresTraffic);
  for (const [key, text] of Object.entries(data)) {
    if (!/^resource\.customizations\.ignoreDifferences\.(?:all|serving\.knative\.dev_Service)$/.test(key))
      continue;
    if (hidden && /^\s*-\s*["']?(?:\/spec\/traffic\b|\.spec\.traffic\b)/m.test(text))
      yield {
        at: ['data', key],
        message: `the traffic of ${hidden.metadata.name} is declared in Git and ignored in the whole installation`,
        severity: 'warning',
      };
  }
}

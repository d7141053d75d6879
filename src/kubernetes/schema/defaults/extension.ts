import type { JsonObject } from '../type-node.ts';
import { each, fill, inside, insideAlways, type Step, steps } from './fill.ts';

const httpsService: Step = (part) => inside(part, 'service', (service) => fill(service, { port: 443 }));
const anyScope: Step = (rule) => fill(rule, { scope: '*' });

const webhook: Step = steps(
  (part) =>
    fill(part, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
    }),
  (part) => each(part, 'rules', anyScope),
  (part) => inside(part, 'clientConfig', httpsService),
);

const mutating: Step = (part) => webhook(fill(part, { reinvocationPolicy: 'Never' }));

/** What admission policies match: the same shape in a policy and in its binding. */
const matchResources: Step = steps(
  (part) => fill(part, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  (part) => each(part, 'resourceRules', anyScope),
  (part) => each(part, 'excludeResourceRules', anyScope),
);

const policySpec: Step = steps(
  (spec) => fill(spec, { failurePolicy: 'Fail' }),
  (spec) => inside(spec, 'matchConstraints', matchResources),
);

const bindingSpec: Step = (spec) => inside(spec, 'matchResources', matchResources);

function names(part: JsonObject): JsonObject {
  const kind = String(part.kind ?? '');
  return kind === '' ? part : fill(part, { singular: kind.toLowerCase(), listKind: `${kind}List` });
}

const conversion: Step = (part) =>
  inside(fill(part, { strategy: 'None' }), 'webhook', (hook) => inside(hook, 'clientConfig', httpsService));

const crdSpec: Step = steps(
  (spec) => inside(spec, 'names', names),
  (spec) => insideAlways(spec, 'conversion', conversion),
);

const withSpec =
  (step: Step): Step =>
  (object) =>
    insideAlways(object, 'spec', step);

const admission = 'admissionregistration.k8s.io/v1';

export const extensionDefaults: Record<string, Step> = {
  [`${admission}/MutatingWebhookConfiguration`]: (object) => each(object, 'webhooks', mutating),
  [`${admission}/ValidatingWebhookConfiguration`]: (object) => each(object, 'webhooks', webhook),
  [`${admission}/ValidatingAdmissionPolicy`]: withSpec(policySpec),
  [`${admission}/MutatingAdmissionPolicy`]: withSpec(policySpec),
  [`${admission}/ValidatingAdmissionPolicyBinding`]: withSpec(bindingSpec),
  [`${admission}/MutatingAdmissionPolicyBinding`]: withSpec(bindingSpec),
  'apiextensions.k8s.io/v1/CustomResourceDefinition': withSpec(crdSpec),
  'apiregistration.k8s.io/v1/APIService': withSpec(httpsService),
};

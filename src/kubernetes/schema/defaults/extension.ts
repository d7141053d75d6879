import type { JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, inside, insideAlways, steps } from './fill.ts';

const httpsService: DefaultingStep = (part) =>
  inside(part, 'service', (service) => fill(service, { port: 443 }));
const anyScope: DefaultingStep = (rule) => fill(rule, { scope: '*' });

const webhook: DefaultingStep = steps(
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

const mutating: DefaultingStep = (part) => webhook(fill(part, { reinvocationPolicy: 'Never' }));

/** The match of admission policies: the same shape in a policy and in its binding. */
const matchResources: DefaultingStep = steps(
  (part) => fill(part, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  (part) => each(part, 'resourceRules', anyScope),
  (part) => each(part, 'excludeResourceRules', anyScope),
);

const policySpec: DefaultingStep = steps(
  (spec) => fill(spec, { failurePolicy: 'Fail' }),
  (spec) => inside(spec, 'matchConstraints', matchResources),
);

const bindingSpec: DefaultingStep = (spec) => inside(spec, 'matchResources', matchResources);

function names(part: JsonObject): JsonObject {
  const kind = String(part.kind ?? '');
  return kind === '' ? part : fill(part, { singular: kind.toLowerCase(), listKind: `${kind}List` });
}

const conversion: DefaultingStep = (part) =>
  inside(fill(part, { strategy: 'None' }), 'webhook', (hook) => inside(hook, 'clientConfig', httpsService));

const crdSpec: DefaultingStep = steps(
  (spec) => inside(spec, 'names', names),
  (spec) => insideAlways(spec, 'conversion', conversion),
);

const withSpec =
  (step: DefaultingStep): DefaultingStep =>
  (object) =>
    insideAlways(object, 'spec', step);

const admission = 'admissionregistration.k8s.io/v1';

export const extensionDefaults: Record<string, DefaultingStep> = {
  [`${admission}/MutatingWebhookConfiguration`]: (object) => each(object, 'webhooks', mutating),
  [`${admission}/ValidatingWebhookConfiguration`]: (object) => each(object, 'webhooks', webhook),
  [`${admission}/ValidatingAdmissionPolicy`]: withSpec(policySpec),
  [`${admission}/MutatingAdmissionPolicy`]: withSpec(policySpec),
  [`${admission}/ValidatingAdmissionPolicyBinding`]: withSpec(bindingSpec),
  [`${admission}/MutatingAdmissionPolicyBinding`]: withSpec(bindingSpec),
  'apiextensions.k8s.io/v1/CustomResourceDefinition': withSpec(crdSpec),
  'apiregistration.k8s.io/v1/APIService': withSpec(httpsService),
};

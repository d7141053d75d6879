import type { KubeObject } from '#model';
import { type Again, type Controller, keyOfObject, type World } from '../world.ts';
import { all, isDeleting, look, writeStatus } from '../write.ts';
import { Conditions, type KnativeCondition, livingSet } from './conditions.ts';
import { domainMappingKind, knative, knativeServiceKind } from './kinds.ts';

type Target = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
};
type DomainMapping = KubeObject<
  { readonly ref?: Target },
  { readonly conditions?: readonly KnativeCondition[] }
>;

const conditionSet = livingSet(
  'ReferenceResolved',
  'IngressReady',
  'CertificateProvisioned',
  'DomainClaimed',
);

/** A domain of one's own for a Knative Service. */
export const domainMappingController: Controller = {
  type: domainMappingKind,
  wakes: [
    {
      type: knativeServiceKind,
      keys: (world, { object }) =>
        (all(world, domainMappingKind, object.metadata.namespace) as DomainMapping[])
          .filter(({ spec }) => spec?.ref?.name === object.metadata.name)
          .map(keyOfObject),
    },
  ],
  async reconcile(world, object): Promise<Again | undefined> {
    if (isDeleting(object)) return undefined;
    const mapping = object as DomainMapping;
    const conditions = new Conditions(conditionSet, mapping.status?.conditions, world.clock.now());
    conditions.markTrue('DomainClaimed');
    const url = `http://${mapping.metadata.name}`;
    resolve(world, mapping, conditions);
    const { generation: observedGeneration } = mapping.metadata;
    const status = { observedGeneration, conditions: conditions.list, url, address: { url } };
    await writeStatus(world, mapping, status, knative);
    return undefined;
  },
};

function resolve(world: World, mapping: DomainMapping, conditions: Conditions): void {
  const { kind = '', apiVersion = '', name = '' } = mapping.spec?.ref ?? {};
  const target = look(world, { apiVersion, kind }, { ...keyOfObject(mapping), name });
  if (!target) {
    const resource =
      apiVersion === knativeServiceKind.apiVersion ? 'services.serving.knative.dev' : kind.toLowerCase();
    conditions.markFalse('ReferenceResolved', 'ResolveFailed', `${resource} "${name}" not found`);
    return;
  }
  conditions.markTrue('ReferenceResolved');
  conditions.markTrue('CertificateProvisioned', 'TLSNotEnabled', 'external-domain-tls is not enabled');
  conditions.markTrue('IngressReady');
}

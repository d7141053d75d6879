import type { KubeObject } from '#base/model';
import { ingressClassKind, ingressKind } from './kinds.ts';
import { isKeptWaiting, madeAt, outsideAddress } from './service.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from './simulation-context.ts';
import { all, isDeleting, storedObject, writeStatus } from './write.ts';

type Ingress = KubeObject<
  { readonly ingressClassName?: string },
  { readonly loadBalancer?: { readonly ingress?: readonly object[] } }
>;

/** Replaces the ingress controllers of all existing classes. */
export const ingressController: Controller = {
  type: ingressKind,
  wakes: [{ type: ingressClassKind, keys: (context) => all(context, ingressKind).map(keyOfObject) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    const ingress = object as Ingress;
    const { status } = ingress;
    const isDone = isKeptWaiting(ingress) || (status?.loadBalancer?.ingress?.length ?? 0) > 0;
    if (isDeleting(ingress) || isDone || !isServed(context, ingress)) return undefined;
    const at = madeAt(context, ingress) + context.settings.addressMs;
    if (nowOf(context) < at) return { at };
    const { namespace, name } = keyOfObject(ingress);
    const ip = outsideAddress(context, `ingress ${namespace}/${name}`);
    await writeStatus(
      context,
      ingress,
      { loadBalancer: { ingress: [{ ip }] } },
      { manager: 'ingress-controller' },
    );
    return undefined;
  },
};

/** compat cluster 5.5: a class that does not exist has no controller; without any classes there is one for all. */
function isServed(context: SimulationContext, { spec, metadata }: Ingress): boolean {
  const name = spec?.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
  if (name === undefined || all(context, ingressClassKind).length === 0) return true;
  return storedObject(context, ingressClassKind, { namespace: '', name }) !== undefined;
}

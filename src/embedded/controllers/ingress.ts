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
import { all, isDeleting, look, writeStatus } from './write.ts';

type Ingress = KubeObject<
  { readonly ingressClassName?: string },
  { readonly loadBalancer?: { readonly ingress?: readonly object[] } }
>;

/** Replaces the ingress controllers of all existing classes. */
export const ingressController: Controller = {
  type: ingressKind,
  wakes: [{ type: ingressClassKind, keys: (world) => all(world, ingressKind).map(keyOfObject) }],
  async reconcile(world, object): Promise<NextPass | undefined> {
    const ingress = object as Ingress;
    const { status } = ingress;
    const isDone = isKeptWaiting(ingress) || (status?.loadBalancer?.ingress?.length ?? 0) > 0;
    if (isDeleting(ingress) || isDone || !isServed(world, ingress)) return undefined;
    const at = madeAt(world, ingress) + world.settings.addressMs;
    if (nowOf(world) < at) return { at };
    const { namespace, name } = keyOfObject(ingress);
    const ip = outsideAddress(world, `ingress ${namespace}/${name}`);
    await writeStatus(
      world,
      ingress,
      { loadBalancer: { ingress: [{ ip }] } },
      { manager: 'ingress-controller' },
    );
    return undefined;
  },
};

/** compat 5.5: a class that does not exist has no controller; without any classes there is one for all. */
function isServed(world: SimulationContext, { spec, metadata }: Ingress): boolean {
  const name = spec?.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];
  if (name === undefined || all(world, ingressClassKind).length === 0) return true;
  return look(world, ingressClassKind, { namespace: '', name }) !== undefined;
}

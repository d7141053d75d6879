import { FairleadError } from '#base/std';
import type { Core } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { badRequest } from '../status.ts';
import { faultGroup } from './faults.ts';
import { parseFault } from './parse.ts';

/** The table of Fault objects; it is empty until their definition is installed. */
export const faultTable = `${faultGroup}/faults`;

/** Contract cluster 5.8: the rules in Fault objects (`embed.fairlead.dev/v1`) apply besides those that were set. */
export function startFaultObjects({ state, faults, log }: Core): void {
  const adopt = (item: Item) => {
    try {
      faults.adopt(nameOf(item), parseFault(item.spec));
    } catch (error) {
      log.warn('a Fault that cannot be read has no effect', { name: nameOf(item), error });
    }
  };
  for (const { item } of state.collection(faultTable).list()) adopt(item);
  state.onCommit(({ collection, next, previous }) => {
    if (collection.id !== faultTable) return;
    if (previous && previous.item.spec !== next?.item.spec) faults.adopt(nameOf(previous.item), undefined);
    if (next && next.item.spec !== previous?.item.spec) adopt(next.item);
  });
}

/** Returns the Fault, or throws BadRequest with the error in its rule. */
export function admitFault(item: Item): Item {
  try {
    parseFault(item.spec);
    return item;
  } catch (error) {
    throw badRequest(FairleadError.from(error).message);
  }
}

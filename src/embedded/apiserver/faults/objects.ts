import { FairleadError } from '#base/std';
import type { Core } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { badRequest } from '../status.ts';
import { faultGroup } from './faults.ts';
import { parseFault } from './parse.ts';

/** Where Fault objects stand once somebody has installed their definition; until then there are none. */
export const faultShelf = `${faultGroup}/faults`;

/** Contract 5.8: the rules in Fault objects (`embed.fairlead.dev/v1`) hold beside those that were set. */
export function startFaultObjects({ state, faults, log }: Core): void {
  const adopt = (item: Item) => {
    try {
      faults.adopt(nameOf(item), parseFault(item.spec));
    } catch (error) {
      log.warn('a Fault that cannot be read has no effect', { name: nameOf(item), error });
    }
  };
  for (const { item } of state.shelf(faultShelf).list()) adopt(item);
  state.onCommit(({ shelf, next, previous }) => {
    if (shelf.id !== faultShelf) return;
    if (previous && previous.item.spec !== next?.item.spec) faults.adopt(nameOf(previous.item), undefined);
    if (next && next.item.spec !== previous?.item.spec) adopt(next.item);
  });
}

/** The Fault itself, or BadRequest that says what is wrong with its rule. */
export function admitFault(item: Item): Item {
  try {
    parseFault(item.spec);
    return item;
  } catch (error) {
    throw badRequest(FairleadError.from(error).message);
  }
}

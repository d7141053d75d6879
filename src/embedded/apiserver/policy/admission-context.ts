import type { Access } from '../access/access.ts';
import { type Item, itemKey } from '../item.ts';
import type { ServedKinds } from '../kinds.ts';
import type { State } from '../state.ts';

/** What admission looks at besides the request: what there is, which kinds are served, and who may do what. */
export type AdmissionContext = {
  readonly state: State;
  readonly kinds: ServedKinds;
  readonly access: Access;
};

/** A Namespace; undefined when there is none of this name. */
export const namespaceNamed = ({ state }: AdmissionContext, name: string): Item | undefined =>
  state.shelf('/namespaces').get(itemKey('', name))?.item;

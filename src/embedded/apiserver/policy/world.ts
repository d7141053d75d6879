import type { Access } from '../access/access.ts';
import { type Item, itemKey } from '../item.ts';
import type { Kinds } from '../kinds.ts';
import type { State } from '../state.ts';

/** What admission looks at besides the request: what there is, which kinds are served, and who may do what. */
export type World = { readonly state: State; readonly kinds: Kinds; readonly access: Access };

/** A Namespace; undefined when there is none of this name. */
export const namespaceNamed = ({ state }: World, name: string): Item | undefined =>
  state.shelf('/namespaces').get(itemKey('', name))?.item;

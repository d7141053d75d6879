import type { Access } from '../access/access.ts';
import { type Item, itemKey } from '../item.ts';
import type { ServedKinds } from '../kinds.ts';
import type { State } from '../state.ts';

/** The context of admission besides the request: the stored objects, the served kinds, and authorization. */
export type AdmissionContext = {
  readonly state: State;
  readonly kinds: ServedKinds;
  readonly access: Access;
};

/** A Namespace; undefined when it does not exist. */
export const namespaceNamed = ({ state }: AdmissionContext, name: string): Item | undefined =>
  state.collection('/namespaces').get(itemKey('', name))?.item;

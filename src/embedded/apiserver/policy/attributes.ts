import type { JsonObject, SchemaGvk } from '#kubernetes/schema';
import type { RequestUser } from '../authorize.ts';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';

/** The operation, its object and its user: the input of admission. */
export type Attributes = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ServedResource;
  /** '' for the object itself. */
  readonly subresource: string;
  /** The kind of the written object: for a subresource it may differ from the parent's. */
  readonly kind: SchemaGvk;
  readonly namespace: string;
  readonly name: string;
  readonly object: Item | undefined;
  readonly old: Item | undefined;
  readonly user: RequestUser;
  readonly dryRun: boolean;
  /** The name in errors; it differs for whole collections. */
  readonly shownName?: string;
};

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** The request as expressions and webhooks read it; empty fields are left out. */
export function requestView(
  attributes: Attributes,
  matched: ServedResource = attributes.resource,
): JsonObject {
  const { operation, resource, subresource, kind, namespace, name, user, dryRun } = attributes;
  const isOwnKind = kind.group === resource.group && kind.kind === resource.kind;
  const seenKind = isOwnKind ? matched : kind;
  const options = operation === 'CONNECT' ? undefined : optionKinds[operation];
  return {
    kind: kindView(seenKind),
    resource: resourceView(matched),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kindView(kind),
    requestResource: resourceView(resource),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation,
    userInfo: userView(user),
    dryRun,
    ...(options && {
      options: { kind: options, apiVersion: 'meta.k8s.io/v1', ...(dryRun && { dryRun: ['All'] }) },
    }),
  };
}

const kindView = ({ group, version, kind }: SchemaGvk): JsonObject => ({ group, version, kind });
const resourceView = ({ group, version, plural }: ServedResource): JsonObject => ({
  group,
  version,
  resource: plural,
});

const userView = ({ name, uid, groups, extra }: RequestUser): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && { extra }),
});

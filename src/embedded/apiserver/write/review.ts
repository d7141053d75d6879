import type { SchemaGvk } from '#kubernetes/schema';
import type { Item } from '../item.ts';
import type { Attributes } from '../policy/attributes.ts';
import { decode } from './decode.ts';
import { complete } from './default.ts';
import type { Writing } from './writing.ts';

/** The written object, when the write goes to a subresource. */
type Below = { readonly kind?: SchemaGvk; readonly name?: string; readonly shownName?: string };

/** Runs admission policies and validating webhooks for a write, where there are any. Throws StatusError. */
export function reviewWrite(
  writing: Writing,
  object: Item | undefined,
  old: Item | undefined,
  below: Below = {},
): void {
  const { core, options, session, isReviewed } = writing;
  if (isReviewed || !(core.policies.isActive || session)) return;
  const attributes = attributesOf(writing, object, old, below);
  if (core.policies.isActive) core.policies.review(core, attributes, options.warn);
  session?.validate(core, attributes);
}

/** The object as changed by mutating webhooks. Throws StatusError when one of them denies the request. */
export function mutatedByHooks(
  writing: Writing,
  object: Item | undefined,
  old: Item | undefined,
): Item | undefined {
  const { core, resource, session } = writing;
  if (!session || writing.isReviewed) return object;
  const options = { ...writing.options, fieldValidation: 'Ignore' } as const;
  return session.mutated(core, attributesOf(writing, object, old), (value) => {
    const as = core.kinds.findKind(String(value.apiVersion), String(value.kind)) ?? resource;
    return complete(decode({ value }, as, options), as);
  }).object;
}

/** The write for admission: a create without an old object, a delete without a new one. */
function attributesOf(
  { resource, subresource, namespace, options }: Writing,
  object: Item | undefined,
  old: Item | undefined,
  { kind = resource, name, shownName }: Below = {},
): Attributes {
  const seen = object ?? old;
  return {
    operation: object === undefined ? 'DELETE' : old === undefined ? 'CREATE' : 'UPDATE',
    resource,
    subresource,
    kind,
    namespace: resource.collection === '/namespaces' ? (seen?.metadata.name ?? '') : namespace,
    name: name ?? seen?.metadata.name ?? '',
    object,
    old,
    user: options.user,
    dryRun: options.dryRun,
    ...(shownName !== undefined && { shownName }),
  };
}

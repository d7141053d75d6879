import { isObject, type JsonObject } from '#schema';
import { timestamp } from '../core.ts';
import { itemKey } from '../item.ts';
import { badRequest, conflict, notFound, type Status } from '../status.ts';
import { parseDeleteRequest } from './options.ts';
import { patch } from './patch.ts';
import { remove } from './remove.ts';
import { shelfFor, type Writing } from './writing.ts';

const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** A delete that asks politely; disruption budgets are not consulted yet. */
export function evict(writing: Writing, name: string, eviction: JsonObject): Status {
  const options = isObject(eviction.deleteOptions) ? eviction.deleteOptions : {};
  remove({ ...writing, subresource: '' }, name, parseDeleteRequest(new URLSearchParams(), options));
  return done;
}

/** Puts a pod on a node, as a scheduler does. */
export function bind(writing: Writing, name: string, binding: JsonObject): Status {
  const node = isObject(binding.target) ? binding.target.name : undefined;
  if (typeof node !== 'string' || node === '') throw badRequest('target.name must name a node');
  const pod = shelfFor(writing).get(itemKey(writing.namespace, name));
  if (!pod) throw notFound(writing.resource, name);
  const spec = isObject(pod.item.spec) ? pod.item.spec : {};
  if (spec.nodeName)
    throw conflict(
      writing.resource,
      name,
      `pod ${name} is already assigned to node "${String(spec.nodeName)}"`,
    );
  patch({ ...writing, subresource: '' }, name, { type: 'merge', body: { spec: { nodeName: node } } });
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: timestamp(writing.core) };
  patch({ ...writing, subresource: 'status' }, name, {
    type: 'strategic',
    body: { status: { conditions: [scheduled] } },
  });
  return done;
}

import * as z from 'zod';
import type { Application, ApplicationSet } from '#base/model';
import { isObject } from '#base/std';
import type { EventList, ResourceNode } from './applications.ts';
import { endpoint, selectable, stream } from './endpoint.ts';

export type ApplicationSetList = { metadata: { resourceVersion?: string }; items: ApplicationSet[] };
export type ApplicationSetWatchEvent = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  applicationSet: ApplicationSet;
};
export type ApplicationSetTree = { readonly nodes: readonly ResourceNode[] };

/** What a set would do to one application; both sides for a diff. */
export type ApplicationSetChange = {
  readonly action: 'create' | 'update' | 'delete';
  readonly application: string;
  readonly live?: Application;
  readonly target?: Application;
};

/** Ours beside Argo CD's methods (sources ASN-5): everything that a set would do now, and from what. */
export type ApplicationSetPreview = {
  readonly changes: readonly ApplicationSetChange[];
  readonly unchanged: number;
  /** One for each generated application, in generation order. */
  readonly parameters: readonly Readonly<Record<string, unknown>>[];
  /** Generated applications that would be neither created nor updated, each with the reason. */
  readonly invalid: readonly { readonly application: string; readonly message: string }[];
  /** Why nothing at all would be done. */
  readonly blocked?: string;
  readonly warnings: readonly string[];
};

const applicationSet = z.custom<ApplicationSet>(
  (value) => isObject(value) && isObject(value.metadata) && isObject(value.spec),
  'want an ApplicationSet with metadata and spec',
);
const wrapped = z.object({ applicationSet });

const at = '/api/v1/applicationsets' as const;

export const applicationSets = {
  list: endpoint<ApplicationSetList>()('GET', at),
  /** compat server §2.8: there is no update; an edit is a creation with `upsert`. */
  create: endpoint<ApplicationSet>()('POST', at, applicationSet),
  generate: endpoint<{ applications: Application[] }>()('POST', `${at}/generate`, wrapped),
  preview: endpoint<ApplicationSetPreview>()('POST', `${at}/preview`, wrapped),
  get: endpoint<ApplicationSet>()('GET', `${at}/:name`),
  delete: endpoint<Record<string, never>>()('DELETE', `${at}/:name`),
  tree: endpoint<ApplicationSetTree>()('GET', `${at}/:name/resource-tree`),
  events: endpoint<EventList>()('GET', `${at}/:name/events`),
  watch: selectable(stream<ApplicationSetWatchEvent>()('/api/v1/stream/applicationsets')),
} as const;

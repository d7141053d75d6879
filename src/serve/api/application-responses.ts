import * as z from 'zod';
import {
  count,
  flag,
  listOf,
  type NameSchema,
  nothing,
  type ResponseParts,
  some,
  text,
} from './response-parts.ts';

const change = z.enum(['ADDED', 'MODIFIED', 'DELETED']);

export function applicationResponses({ application, spec, links, events, node }: ResponseParts) {
  const managed = z.object({
    ...{ kind: text, name: text, group: some.text, namespace: some.text, resourceVersion: some.text },
    ...{ targetState: text, liveState: text, normalizedLiveState: text, predictedLiveState: text },
    ...{ modified: some.flag, hook: some.flag },
    fields: z
      .array(
        z.object({
          ...{ path: text, manager: some.text, time: some.text },
          ...{ target: z.unknown().exactOptional(), live: z.unknown().exactOptional() },
        }),
      )
      .exactOptional(),
  });
  const manifest = z.object({ manifest: text });
  const tree = treeOf(node);
  const entry = z.object({
    ...{ content: text, timeStamp: text, last: flag, timeStampStr: text, podName: text },
  });
  const one = application;
  return {
    list: z.object({
      metadata: z.object({ resourceVersion: some.text, continue: some.text }),
      items: z.array(one),
    }),
    ...{ create: one, get: one, update: one, patch: one, sync: one, rollback: one },
    updateSpec: spec,
    ...{
      delete: nothing,
      terminate: nothing,
      runAction: nothing,
      runActionWith: nothing,
      deleteResource: nothing,
    },
    ...{ tree, watchTree: tree, managedResources: listOf(managed), compare: listOf(managed) },
    serverSideDiff: listOf(managed).extend({ modified: flag }),
    ...{ resource: manifest, patchResource: manifest, links, resourceLinks: links, events },
    ...{ logs: entry, podLogs: entry, ...descriptionResponses() },
    watch: z.object({ type: change, application: one }),
  };
}

function treeOf(node: ResponseParts['node']) {
  const host = z.object({
    name: text,
    resourcesInfo: z
      .array(
        z.object({
          ...{ resourceName: text, requestedByApp: count, requestedByNeighbors: count, capacity: count },
        }),
      )
      .exactOptional(),
    ...{ systemInfo: z.record(text, z.unknown()).exactOptional(), labels: some.map },
  });
  return z.object({
    nodes: z.array(node),
    orphanedNodes: z.array(node).exactOptional(),
    hosts: z.array(host).exactOptional(),
  });
}

/** What describes an application without being a part of it. */
function descriptionResponses() {
  const window = z.object({ kind: text, schedule: text, duration: text, manualSync: flag });
  const rendered = z.object({
    ...{ manifests: z.array(text), namespace: text, server: text, revision: text, sourceType: text },
    commands: z.array(text),
  });
  const action = z.object({
    ...{ name: text, disabled: flag, available: some.flag, displayName: some.text, iconClass: some.text },
    params: z.array(z.object({ name: text, default: some.text })).exactOptional(),
  });
  return {
    windows: z.object({
      ...{ activeWindows: z.array(window).exactOptional(), assignedWindows: z.array(window).exactOptional() },
      ...{ canSync: some.flag, held: some.text },
    }),
    revision: z.object({ author: some.text, date: some.text, message: some.text, tags: some.texts }),
    chart: z.object({ description: text, maintainers: z.array(text), home: text }),
    oci: z.object({
      ...{ createdAt: text, authors: text, docsUrl: text, sourceUrl: text, version: text, description: text },
    }),
    ...{ manifests: rendered, preview: rendered, manifestsWithFiles: rendered },
    actions: z.object({ actions: z.array(action) }),
  };
}

export function setResponses(name: NameSchema, { application, applicationSet, events, node }: ResponseParts) {
  const planned = z.object({
    ...{ action: z.enum(['create', 'update', 'delete']), application: text },
    ...{ live: application.exactOptional(), target: application.exactOptional() },
  });
  const preview = name(
    'ApplicationSetPreview',
    z.object({
      ...{ changes: z.array(planned), unchanged: count, parameters: z.array(z.record(text, z.unknown())) },
      invalid: z.array(z.object({ application: text, message: text })),
      ...{ blocked: some.text, warnings: z.array(text) },
    }),
  );
  return {
    list: z.object({ metadata: z.object({ resourceVersion: some.text }), items: z.array(applicationSet) }),
    ...{ create: applicationSet, get: applicationSet, delete: nothing, preview, events },
    generate: z.object({ applications: z.array(application) }),
    tree: z.object({ nodes: z.array(node) }),
    watch: z.object({ type: change, applicationSet }),
  };
}

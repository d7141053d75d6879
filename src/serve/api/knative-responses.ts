import * as z from 'zod';
import { count, flag, type NameSchema, some, text } from './response-parts.ts';

/** What the methods about the traffic of Knative Services respond with. */
export function knativeResponses(name: NameSchema) {
  const entry = name(
    'TrafficEntry',
    z.object({
      ...{ revisionName: some.text, latestRevision: some.flag, percent: some.count, tag: some.text },
    }),
  );
  const revision = z.object({
    ...{ name: text, createdAt: text, ready: z.enum(['True', 'False', 'Unknown']), message: some.text },
    ...{ isLatestReady: flag, isLatestCreated: flag, image: some.text },
    ...{ percent: count, declaredPercent: count },
    tags: z.array(z.object({ tag: text, url: some.text })),
  });
  const override = z.object({
    ...{ by: text, at: text, reason: text, action: text, intent: some.text, traffic: z.array(entry) },
  });
  const service = z.object({
    ...{ name: text, namespace: text, url: some.text },
    ...{ owner: z.enum(['git', 'knative', 'override', 'rollout']), ownerText: text },
    ...{ ready: flag, message: some.text, observed: flag },
    rollout: z.object({ inProgress: z.literal(true), text }).exactOptional(),
    revisions: z.array(revision),
    declared: z.array(entry).exactOptional(),
    live: z.array(entry),
    override: override.exactOptional(),
    previousReady: some.text,
    may: z.object({ commit: flag, override: flag }),
  });
  const planned = {
    ...{ service: text, namespace: text, resolved: text, isNoChange: flag, hash: text },
    ...{ warnings: z.array(text), repoURL: some.text, branch: some.text, baseRevision: some.text },
    ...{ file: some.text, diff: some.text, commitMessage: some.text },
  };
  const done = { done: flag, commit: some.text, message: text };
  const plan = {
    ...planned,
    ...{ mode: z.enum(['commit', 'override']), from: z.array(entry), to: z.array(entry) },
  };
  const planUndo = { ...planned, revision: text, generation: count };
  return {
    show: z.object({ items: z.array(service) }),
    plan: z.object(plan),
    apply: z.object({ ...plan, ...done }),
    clear: z.object({ service: text, namespace: text, message: text }),
    planUndo: z.object(planUndo),
    undo: z.object({ ...planUndo, ...done }),
  };
}

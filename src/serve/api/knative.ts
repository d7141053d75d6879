import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/** An entry of `spec.traffic`. Without a revision it is the latest ready one. */
type TrafficEntry = {
  readonly revisionName?: string;
  readonly latestRevision?: boolean;
  readonly percent?: number;
  readonly tag?: string;
};

/** A Revision of a Knative Service and its part in the traffic. */
type TrafficRevision = {
  readonly name: string;
  readonly createdAt: string;
  readonly ready: 'True' | 'False' | 'Unknown';
  /** Why it is not ready. */
  readonly message?: string;
  readonly isLatestReady: boolean;
  readonly isLatestCreated: boolean;
  /** Of the first container. */
  readonly image?: string;
  /** The share now, and the one that the live object declares. */
  readonly percent: number;
  readonly declaredPercent: number;
  readonly tags: readonly { readonly tag: string; readonly url?: string }[];
};

/** The traffic of one Knative Service of an application. */
export type TrafficService = {
  readonly name: string;
  readonly namespace: string;
  readonly url?: string;
  /** What owns `spec.traffic`, and the same in a sentence. */
  readonly owner: 'git' | 'knative' | 'override' | 'rollout';
  readonly ownerText: string;
  readonly ready: boolean;
  readonly message?: string;
  /** The status is about the current generation. */
  readonly observed: boolean;
  /** A gradual rollout that is in progress, with its percentages. */
  readonly rollout?: { readonly inProgress: true; readonly text: string };
  /** The newest first. */
  readonly revisions: readonly TrafficRevision[];
  /** What Git declares; absent: nothing. */
  readonly declared?: readonly TrafficEntry[];
  readonly live: readonly TrafficEntry[];
  readonly override?: {
    readonly by: string;
    readonly at: string;
    readonly reason: string;
    readonly action: string;
    /** The words that were resolved to a Revision. */
    readonly intent?: string;
    readonly traffic: readonly TrafficEntry[];
  };
  /** The Revision that a rollback without a name would choose. */
  readonly previousReady?: string;
  /** What the caller may do. */
  readonly may: { readonly commit: boolean; readonly override: boolean };
};

const name = z.string().max(253);
const percent = z.number().int().min(0).max(100);

const trafficRequest = z.object({
  service: name.optional(),
  namespace: name.optional(),
  action: z.enum(['promote', 'rollback', 'split']),
  to: name.optional(),
  percent: percent.optional(),
  tag: z.string().max(63).optional(),
  targets: z
    .array(z.object({ revision: name, percent, tag: z.string().max(63).optional() }))
    .max(50)
    .optional(),
  mode: z.enum(['commit', 'override']).optional(),
  branch: z.string().max(200).optional(),
  reason: z.string().max(1000).optional(),
  expect: z.string().max(100).optional(),
});

export type TrafficRequest = z.infer<typeof trafficRequest>;

const undoRequest = z.object({
  service: name.optional(),
  namespace: name.optional(),
  generation: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  branch: z.string().max(200).optional(),
  reason: z.string().max(1000).optional(),
  expect: z.string().max(100).optional(),
});

/** The template of which Revision to restore; without a generation that of the previous one. */
export type UndoRequest = z.infer<typeof undoRequest>;

/** The change of a Knative Service that a request would make. */
type ServicePlan = {
  readonly service: string;
  readonly namespace: string;
  /** One sentence, with the Revisions by name. */
  readonly resolved: string;
  /** It is so already, and nothing would be done. */
  readonly isNoChange: boolean;
  /** Given as `expect`, only this plan is carried out. */
  readonly hash: string;
  readonly warnings: readonly string[];
  /** Of a commit. */
  readonly repoURL?: string;
  readonly branch?: string;
  readonly baseRevision?: string;
  readonly file?: string;
  /** The change of the file, as a unified diff. */
  readonly diff?: string;
  readonly commitMessage?: string;
};

/** What a request would do to the traffic. */
export type TrafficPlan = ServicePlan & {
  readonly mode: 'commit' | 'override';
  readonly from: readonly TrafficEntry[];
  readonly to: readonly TrafficEntry[];
};

/** What an undo would do. */
export type UndoPlan = ServicePlan & {
  /** The Revision whose template is restored, and its generation. */
  readonly revision: string;
  readonly generation: number;
};

/** What was done. */
type Done = {
  readonly done: boolean;
  readonly commit?: string;
  /** One sentence. */
  readonly message: string;
};

export type TrafficChange = TrafficPlan & Done;
export type UndoChange = UndoPlan & Done;

const at = '/api/v1/applications/:name/knative/traffic' as const;
const undo = '/api/v1/applications/:name/knative/undo' as const;
const where = {
  appNamespace: 'the namespace of the application',
  project: 'the project of the application',
};
const which = {
  service: 'the name of the Knative Service',
  namespace: 'the namespace of the Knative Service',
  ...where,
};

/** Beyond Argo CD: the traffic of Knative Services, as Git declares it or as a recorded override (decision 56). */
export const knative = {
  show: endpoint<{ readonly items: readonly TrafficService[] }>(
    'The traffic of the Knative Services of an application: revisions with their shares, tags and URLs, and what owns the split.',
    which,
  )('GET', at),
  plan: endpoint<TrafficPlan>(
    'The change that a request would make, as a diff of the file; nothing is written.',
    where,
  )('POST', `${at}/plan`, trafficRequest),
  apply: endpoint<TrafficChange>(
    'Shifts traffic: pushes a commit to the source of the application, or records an override and changes the live Service.',
    where,
  )('POST', at, trafficRequest),
  clear: endpoint<{ readonly service: string; readonly namespace: string; readonly message: string }>(
    'Ends an override: the Service gets the traffic that Git declares.',
    which,
  )('DELETE', at),
  planUndo: endpoint<UndoPlan>(
    'The commit that would restore the template of an earlier Revision, as a diff of the file; nothing is written.',
    where,
  )('POST', `${undo}/plan`, undoRequest),
  undo: endpoint<UndoChange>(
    'Restores the template of an earlier Revision: pushes a commit to the source of the application.',
    where,
  )('POST', undo, undoRequest),
} as const;

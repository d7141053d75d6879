import {
  controllerOf,
  isConditionTrue,
  type KubeObject,
  type LabelSelector,
  printSelector,
  selectorOf,
} from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { AnalysisMetric, AnalysisRun, Measurement } from '#engine/rollouts';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { Provider, Subject, Taken } from './provider.ts';

const apiVersion = 'batch/v1';
const keys = {
  uid: 'analysisrun.argoproj.io/uid',
  name: 'analysisrun.argoproj.io/name',
  namespace: 'analysisrun.argoproj.io/namespace',
  metric: 'analysisrun.argoproj.io/metric-name',
};
/** dev compat rollouts RQ-12: how long a pod of the Job may take to start. */
const startMs = 5 * 60_000;

type JobObject = KubeObject<
  { selector?: LabelSelector },
  {
    conditions?: { type: string; status: string; message?: string }[];
    ready?: number;
    failed?: number;
    succeeded?: number;
  }
>;
type ContainerView = { state?: { running?: object; terminated?: object }; restartCount?: number };
type PodView = KubeObject<
  unknown,
  { containerStatuses?: ContainerView[]; initContainerStatuses?: ContainerView[] }
>;

/** compat rollouts RA-16. */
export const job: Provider = {
  async measure(ctx, { kube }, subject) {
    const made = await created(ctx, kube, subject);
    return flying({ 'job-name': made.metadata.name, 'job-namespace': made.metadata.namespace ?? '' });
  },
  async resume(ctx, { kube }, subject, measurement) {
    const ref = refOf(subject, measurement);
    const found = (await kube.find(ctx, ref)) as JobObject | undefined;
    if (!found) throw new FairleadError('Unavailable', `Job ${ref.name} was deleted before it ended`);
    return read(ctx, kube, found, measurement);
  },
  async end(ctx, { kube }, subject, measurement) {
    await remove(ctx, kube, refOf(subject, measurement));
    return { ...plain(measurement), phase: 'Successful', message: 'Metric Terminated' };
  },
};

const plain = ({ metadata }: Measurement): Pick<Taken, 'metadata'> => (metadata ? { metadata } : {});
const flying = (metadata: Record<string, string>): Taken => ({ phase: 'Running', metadata });

function refOf({ run }: Subject, { metadata }: Measurement) {
  return { apiVersion, kind: 'Job', namespace: run.metadata.namespace, name: metadata?.['job-name'] ?? '' };
}

async function read(ctx: Ctx, kube: KubeClient, found: JobObject, measurement: Measurement): Promise<Taken> {
  const { conditions = [] } = found.status ?? {};
  if (isConditionTrue(conditions, 'Complete')) return { ...plain(measurement), phase: 'Successful' };
  if (isConditionTrue(conditions, 'Failed')) {
    const message = conditions.find(({ type }) => type === 'Failed')?.message;
    return { ...plain(measurement), phase: 'Failed', ...(message && { message }) };
  }
  const since = Date.parse(measurement.startedAt ?? '') || 0;
  if (ctx.clock.now().getTime() - since > startMs && !(await hasStarted(ctx, kube, found))) {
    const { name, namespace } = found.metadata;
    await remove(ctx, kube, { apiVersion, kind: 'Job', namespace, name });
    return {
      ...plain(measurement),
      phase: 'Inconclusive',
      message: `no pod of the Job ${name} started within 5 minutes`,
    };
  }
  return flying(measurement.metadata ?? {});
}

/** A Job that retries has no pod that is ready, but one that ran: its own limits decide how it ends. */
async function hasStarted(
  ctx: Ctx,
  kube: KubeClient,
  { metadata, spec, status }: JobObject,
): Promise<boolean> {
  const { ready = 0, failed = 0, succeeded = 0 } = status ?? {};
  if (ready + failed + succeeded > 0) return true;
  const from = { apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace };
  const labelSelector = printSelector(selectorOf(spec?.selector));
  const { items } = await kube.list(ctx, from, { labelSelector });
  return (items as PodView[])
    .filter((pod) => controllerOf(pod)?.uid === metadata.uid)
    .flatMap(({ status: of }) => [...(of?.initContainerStatuses ?? []), ...(of?.containerStatuses ?? [])])
    .some(({ state, restartCount = 0 }) => state?.running || state?.terminated || restartCount > 0);
}

async function remove(ctx: Ctx, kube: KubeClient, ref: ReturnType<typeof refOf>): Promise<void> {
  try {
    await kube.delete(ctx, ref, { propagationPolicy: 'Foreground' });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

/** A Job that an earlier process created for the same measurement is used. */
async function created(ctx: Ctx, kube: KubeClient, { run, metric }: Subject): Promise<KubeObject> {
  const object = jobOf(run, metric);
  try {
    return await kube.create(ctx, object);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const { name, namespace } = object.metadata;
    const found = await kube.find(ctx, { apiVersion, kind: 'Job', namespace, name });
    if (found && controllerOf(found)?.uid === run.metadata.uid) return found;
    throw error;
  }
}

function jobOf(run: AnalysisRun, metric: AnalysisMetric): KubeObject {
  const { name, namespace, uid = '' } = run.metadata;
  const { count = 0, error = 0 } = run.status?.metricResults?.find((one) => one.name === metric.name) ?? {};
  const tail = `.${count + error + 1}`;
  const head = `${uid}.`;
  const cut = metric.name.slice(0, Math.max(0, 63 - head.length - tail.length));
  const { metadata, spec } = metric.provider?.job ?? {};
  return {
    apiVersion,
    kind: 'Job',
    metadata: {
      name: `${head}${cut}${tail}`,
      ...(namespace && { namespace }),
      labels: { ...metadata?.labels, [keys.uid]: uid },
      annotations: {
        ...metadata?.annotations,
        [keys.name]: name,
        [keys.namespace]: namespace ?? '',
        [keys.metric]: metric.name,
      },
      ownerReferences: [
        {
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AnalysisRun',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: spec ?? {},
  };
}

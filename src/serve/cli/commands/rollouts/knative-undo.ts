import { isConditionTrue, type KubeObject, printTime } from '#base/model';
import { FairleadError } from '#base/std';
import { defaultTracking, trackedBy } from '#engine';
import { type Rollout, revisionsOf } from '#engine/rollouts';
import {
  generationOf,
  isReady,
  type ManualTraffic,
  manualTrafficAnnotation,
  manualTrafficOf,
  printManualTraffic,
  revisionToRestore,
} from '#engine/traffic';
import { refOf } from '#kubernetes/client';
import { knative, type UndoPlan, type UndoRequest } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { mayProceed } from '../../input/confirm.ts';
import { given } from '../../input/flag-values.ts';
import { ExitError } from '../../io.ts';
import type { OnCluster } from '../../session/kube.ts';
import type { RolloutFlags } from './rollout-flags.ts';
import { fieldManager, recordVerb, userOf } from './rollout-writes.ts';

export type UndoFlags = RolloutFlags & {
  toRevision: string;
  now?: boolean;
  clear?: boolean;
  reason?: string;
  branch?: string;
  app?: string;
  dryRun?: boolean;
  yes?: boolean;
};

/** An undo of a Rollout over a Knative Service. */
type Undoing = {
  readonly rollout: Rollout;
  readonly service: string;
  /** 0: the previous Revision. */
  readonly generation: number;
  readonly flags: UndoFlags;
};

/** compat rollouts RK-14: shows the commit that restores the template, and makes it by the API server once it is confirmed. */
export async function commitUndo(deps: CliDeps, on: OnCluster, undoing: Undoing): Promise<void> {
  const { rollout, service, generation, flags } = undoing;
  const { namespace = '' } = rollout.metadata;
  const to = await applicationOf(on, undoing);
  const { io, session } = await opened(deps, rollout);
  const wanted = given({ branch: flags.branch, reason: flags.reason });
  const body: UndoRequest = { service, namespace, generation, ...wanted };
  const plan = await session.call(knative.planUndo, { ...to, body });
  for (const warning of plan.warnings) io.err(`warning: ${warning}\n`);
  if (plan.isNoChange) {
    io.out(`nothing to do: Git declares the template of ${plan.revision} already\n`);
    return;
  }
  io.out(`${flags.dryRun ? 'would commit' : 'commit'} to ${whereOf(plan)}: ${plan.resolved}\n\n${plan.diff}`);
  if (flags.dryRun) return;
  const question = `Commit this to ${whereOf(plan)}? [y/n] `;
  if (!flags.yes && !(await mayProceed(deps, { question, doing: `committing to ${whereOf(plan)}` }))) {
    io.out('nothing was committed\n');
    return;
  }
  const { message } = await session.call(knative.undo, { ...to, body: { ...body, expect: plan.hash } });
  io.out(`${message}\n`);
}

const whereOf = ({ branch, repoURL }: UndoPlan): string => `branch ${branch} of ${repoURL}`;

/** The application that declares the Service: the one that the user names, or that marked the live object. */
async function applicationOf({ ctx, kube }: OnCluster, { rollout, service, flags }: Undoing) {
  const { name, namespace = '' } = rollout.metadata;
  const marked = (): Promise<KubeObject> =>
    kube.get(ctx, { apiVersion: 'serving.knative.dev/v1', kind: 'Service', namespace, name: service });
  const instance = flags.app ?? instanceOf(await marked());
  if (!instance)
    throw new ExitError(
      1,
      `no application of Fairlead manages the Knative Service "${service}": revert its template where it is declared, name the application with --app, or send the traffic back now with fairlead rollouts undo ${name} -n ${namespace} --now`,
    );
  const [first = '', second] = instance.split(/[/_]/, 2);
  return second === undefined
    ? { params: { name: first }, query: {} }
    : { params: { name: second }, query: { appNamespace: first } };
}

const instanceOf = (service: KubeObject): string | undefined =>
  trackedBy(service, { ...defaultTracking, installationId: '' }) ??
  trackedBy(service, { ...defaultTracking, method: 'label' });

/** A session with the API server, which has the repository and its credentials. */
async function opened(
  { open }: CliDeps,
  { metadata }: Rollout,
): Promise<Awaited<ReturnType<CliDeps['open']>>> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    throw new ExitError(
      error.exitCode,
      `undo commits through the API server: ${error.message}; without one, send the traffic back now with fairlead rollouts undo ${metadata.name} -n ${metadata.namespace} --now`,
    );
  }
}

/** compat rollouts RK-14: records that all traffic goes to an earlier Revision; the controller carries it out. */
export async function pinTraffic({ io }: CliDeps, on: OnCluster, undoing: Undoing): Promise<void> {
  const { rollout, service, generation, flags } = undoing;
  const reason = oneLine(flags.reason ?? '');
  if (reason === '')
    throw new ExitError(1, '--now needs --reason: others will see it until the override is lifted');
  refuseInvalid(rollout);
  const { ctx, kube } = on;
  const { name, namespace = '', uid = '' } = rollout.metadata;
  const serving = { apiVersion: 'serving.knative.dev/v1', namespace };
  const live = await kube.get(ctx, { ...serving, kind: 'Service', name: service });
  const of = { labelSelector: revisionsOf(service) };
  const { items } = await kube.list(ctx, { ...serving, kind: 'Revision' }, of);
  const stable = rollout.status?.stableRS;
  const wanted = revisionToRestore({ service: live, revisions: items, stable }, generation);
  const revision = wanted.metadata.name;
  if (!isReady(wanted))
    throw new ExitError(
      1,
      `Revision ${revision} is not ready and cannot take the traffic: choose another one`,
    );
  const record: ManualTraffic = {
    ...{ revision, by: oneLine(await userOf(on)).slice(0, 200) },
    ...{ at: printTime(ctx.clock.now()), reason },
  };
  const annotations = { [manualTrafficAnnotation]: printManualTraffic(record) };
  // not by version: the controller writes the status of an update all the time
  const body = { metadata: { uid, annotations } };
  await kube.patch(ctx, refOf(rollout), { type: 'merge', body }, { fieldManager });
  await recordVerb(on, rollout, 'undo --now');
  io.out(
    `rollout '${name}' sends all traffic to ${revision} (generation ${generationOf(wanted)}) until fairlead rollouts undo ${name} -n ${namespace} --clear\n`,
  );
}

/** The controller writes nothing for such a Rollout, so an override would have no effect. */
function refuseInvalid({ metadata, status }: Rollout): void {
  const { conditions = [], message } = status ?? {};
  if (isConditionTrue(conditions, 'InvalidSpec'))
    throw new ExitError(
      1,
      `rollout '${metadata.name}' moves no traffic: ${message ?? 'its spec is invalid'}`,
    );
}

/** A reason stands in conditions and on terminals. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** compat rollouts RK-14: removes the record; the Rollout sends the traffic to its stable Revision again. */
export async function clearManualTraffic(
  { io }: CliDeps,
  on: OnCluster,
  { rollout }: Undoing,
): Promise<void> {
  const { name, annotations } = rollout.metadata;
  const record = annotations?.[manualTrafficAnnotation];
  if (record === undefined)
    throw new FairleadError('NotFound', `rollout '${name}' has no manual traffic override`);
  const path = `/metadata/annotations/${manualTrafficAnnotation.replace('/', '~1')}`;
  // only the override that was read: another one is another decision
  const body = [
    { op: 'test', path, value: record },
    { op: 'remove', path },
  ];
  await on.kube.patch(on.ctx, refOf(rollout), { type: 'json', body }, { fieldManager });
  await recordVerb(on, rollout, 'undo --clear');
  const { by = 'an unreadable record' } = manualTrafficOf(rollout).record ?? {};
  const { stableRS } = rollout.status ?? {};
  io.out(
    `rollout '${name}': the manual traffic override by ${by} has ended${stableRS ? `; all traffic goes to ${stableRS} again` : ''}\n`,
  );
}

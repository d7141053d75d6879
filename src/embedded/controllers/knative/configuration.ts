import { type KubeObject, printTime } from '#base/model';
import { equal } from '#base/std';
import { ownerKey } from '../replica-set.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  type SimulationContext,
} from '../simulation-context.ts';
import { controlled, isDeleting, isReason, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { completed } from './admission.ts';
import { collectRevisions } from './collect.ts';
import { Conditions, livingSet } from './conditions.ts';
import { configurationKind, knative, label, note, revisionKind } from './kinds.ts';
import { revisionName } from './names.ts';
import { takenName } from './taken-name.ts';
import { type Configuration, isReadyNow, type Revision, readyOf } from './view.ts';

const conditionSet = livingSet();
const component = 'configuration-controller';

/** Creates a Revision for every template of a Configuration. */
export const configurationController: Controller = {
  type: configurationKind,
  wakes: [{ type: revisionKind, keys: (_context, event) => ownerKey('Configuration', event) }],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return undefined;
    const configuration = completed(object) as Configuration;
    const conditions = new Conditions(conditionSet, configuration.status?.conditions, context.clock.now());
    const names = await follow(context, configuration, conditions);
    const { generation: observedGeneration } = configuration.metadata;
    await writeStatus(
      context,
      configuration,
      { ...configuration.status, ...names, observedGeneration, conditions: conditions.list },
      knative,
    );
    return collectRevisions(context, configuration);
  },
};

type Names = { latestCreatedRevisionName?: string; latestReadyRevisionName?: string };

async function follow(
  context: SimulationContext,
  configuration: Configuration,
  conditions: Conditions,
): Promise<Names> {
  const taken = takenName(context, configuration);
  if (taken !== undefined) {
    const why = `revisions.serving.knative.dev "${taken}" already exists`;
    conditions.markFalse('Ready', 'RevisionFailed', `Revision creation failed with message: ${why}.`);
    return {};
  }
  const created =
    latestCreated(context, configuration) ?? (await createRevision(context, configuration, conditions));
  if (!created) return {};
  const { name } = created.metadata;
  const before = configuration.status?.latestReadyRevisionName;
  if (before !== name) conditions.markUnknown('Ready');
  await judge(context, configuration, created, conditions);
  const ready = latestReady(context, configuration, created);
  if (ready === undefined) return { latestCreatedRevisionName: name };
  if (ready === name) conditions.markTrue('Ready');
  if (ready !== before) {
    const message = `LatestReadyRevisionName updated to "${ready}"`;
    await context.events.record(configuration, {
      type: 'Normal',
      reason: 'LatestReadyUpdate',
      message,
      component,
    });
  }
  return { latestCreatedRevisionName: name, latestReadyRevisionName: ready };
}

async function judge(
  context: SimulationContext,
  configuration: Configuration,
  created: Revision,
  conditions: Conditions,
): Promise<void> {
  const ready = readyOf(created);
  const { name } = created.metadata;
  const { latestReadyRevisionName: before } = configuration.status ?? {};
  if (ready?.status === 'True' && before === undefined) {
    const message = 'Configuration becomes ready';
    await context.events.record(configuration, {
      type: 'Normal',
      reason: 'ConfigurationReady',
      message,
      component,
    });
  }
  if (ready?.status !== 'False') return;
  const message = `Revision "${name}" failed with message: ${ready.message ?? ''}.`;
  conditions.markFalse('Ready', 'RevisionFailed', message);
  if (equal(readyOf(configuration)?.message, message)) return;
  const isLatestReady = name === before;
  await context.events.record(configuration, {
    type: 'Warning',
    reason: isLatestReady ? 'LatestReadyFailed' : 'LatestCreatedFailed',
    message: `Latest ${isLatestReady ? 'ready' : 'created'} revision "${name}" has failed`,
    component,
  });
}

const generationOf = ({ metadata }: KubeObject): number =>
  Number(metadata.labels?.[label.configurationGeneration] ?? 0);

/** The revision of the current template: by the name in the template, else by generation. */
function latestCreated(context: SimulationContext, configuration: Configuration): Revision | undefined {
  const name = configuration.spec?.template?.metadata?.name;
  if (name)
    return storedObject(context, revisionKind, { ...keyOfObject(configuration), name }) as
      | Revision
      | undefined;
  return (controlled(context, configuration, revisionKind) as Revision[]).find(
    (revision) => generationOf(revision) === configuration.metadata.generation,
  );
}

/** The newest ready revision; the revision that the template names has precedence over all others. */
function latestReady(
  context: SimulationContext,
  configuration: Configuration,
  created: Revision,
): string | undefined {
  const revisions = (controlled(context, configuration, revisionKind) as Revision[]).sort(
    (a, b) => generationOf(b) - generationOf(a),
  );
  const isNamed = configuration.spec?.template?.metadata?.name === created.metadata.name;
  const ordered = isNamed
    ? [created, ...revisions.filter((one) => one.metadata.uid !== created.metadata.uid)]
    : revisions;
  const known = configuration.status?.latestReadyRevisionName;
  return ordered.find(isReadyNow)?.metadata.name ?? known;
}

async function createRevision(
  context: SimulationContext,
  configuration: Configuration,
  conditions: Conditions,
): Promise<Revision | undefined> {
  const revision = revisionFor(context, configuration);
  try {
    const created = await context.objects.create(revision, knative);
    const message = `Created Revision "${created.metadata.name}"`;
    await context.events.record(configuration, { type: 'Normal', reason: 'Created', message, component });
    return created as Revision;
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) throw error;
    const why = (error as Error).message;
    await context.events.record(configuration, {
      type: 'Warning',
      reason: 'CreationFailed',
      message: `Failed to create Revision: ${why}`,
      component,
    });
    conditions.markFalse('Ready', 'RevisionFailed', `Revision creation failed with message: ${why}.`);
    return undefined;
  }
}

function revisionFor(context: SimulationContext, configuration: Configuration): KubeObject {
  const { name, uid = '', generation = 1, labels = {}, annotations = {} } = configuration.metadata;
  const { metadata = {}, spec } = configuration.spec?.template ?? {};
  const routes = annotations[note.routes];
  const creator = annotations[note.creator];
  const inherited = [label.service, label.serviceUid].filter((key) => labels[key] !== undefined);
  return {
    ...revisionKind,
    metadata: ownedMeta(configuration, {
      name: metadata.name || revisionName(name, generation),
      labels: {
        ...metadata.labels,
        [label.configuration]: name,
        [label.configurationGeneration]: String(generation),
        [label.configurationUid]: uid,
        [label.routingState]: routes === undefined ? 'pending' : 'active',
        ...Object.fromEntries(inherited.map((key) => [key, labels[key] ?? ''])),
      },
      annotations: {
        ...metadata.annotations,
        ...(creator !== undefined && { [note.creator]: creator }),
        ...(routes !== undefined && { [note.routes]: routes }),
        [note.routingStateModified]: printTime(context.clock.now()),
      },
    }),
    spec: spec ?? {},
  };
}

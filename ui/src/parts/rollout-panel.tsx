import './rollout-panel.css';
import type { Application } from '#base/model';
import { type AnalysisRun, knativeOf, type Rollout, type RolloutReplicaSet } from '#engine/rollouts';
import { type AppRef, useManifest, useManifests } from '../data/use-application.ts';
import { useResourceActions } from '../data/use-resource.ts';
import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { useNow } from '../kit/use-now.ts';
import { viewPath } from '../shape/address.ts';
import { runPlots } from '../shape/analysis-plot.ts';
import { type TreeItem, walkForest } from '../shape/resource-forest.ts';
import { imageTag } from '../shape/resource-line.ts';
import { type RolloutProgress, rolloutProgress, rolloutVersions } from '../shape/rollout-progress.ts';
import type { StepLine } from '../shape/rollout-steps.ts';
import { rolloutVerbs } from '../shape/rollout-verbs.ts';
import { ago } from '../shape/time.ts';
import { AnalysisRuns } from './analysis-runs.tsx';
import { HealthMark } from './mark.tsx';
import { RevertRevision, RolloutVerbs } from './rollout-verbs.tsx';

type Props = { app: Application; place: AppRef; item: TreeItem; items: readonly TreeItem[] };

const most = 12; // ReplicaSets, and runs: the controller keeps ten of each at first

/** One Rollout: what it does and waits for, its steps and weights, its revisions, its analysis, and what can be done. */
export function RolloutPanel(props: Props) {
  const { place, item } = props;
  const { data, error } = useManifest(place, item);
  const rollout = data === undefined ? undefined : (JSON.parse(data) as Rollout);
  if (!rollout && error) return <Problem title="The Rollout cannot be shown" message={error.message} />;
  if (!rollout) return <Skeleton label="Loading the Rollout" rows={6} />;
  return <Shown {...props} rollout={rollout} />;
}

const childrenOf = ({ children }: TreeItem, kind: string): TreeItem[] =>
  children
    .filter((child) => child.kind === kind)
    .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
    .slice(0, most);

/** The Revisions of the Knative Service that a Rollout gates, where the application has it. */
function revisionsIn(items: readonly TreeItem[], namespace: string, service: string): TreeItem[] {
  const found = [...walkForest(items)].find(
    ({ group, kind, ...one }) =>
      group === 'serving.knative.dev' &&
      kind === 'Service' &&
      one.namespace === namespace &&
      one.name === service,
  );
  const revisions = found ? [...walkForest([found])].filter(({ kind }) => kind === 'Revision') : [];
  return revisions.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0)).slice(0, most);
}

function Shown({ app, place, item, items, rollout }: Props & { rollout: Rollout }) {
  const now = useNow(1000); // pauses count down
  const { service } = knativeOf(rollout) ?? {};
  const versions = service ? revisionsIn(items, item.namespace, service) : childrenOf(item, 'ReplicaSet');
  const sets = rolloutVersions(rollout, useManifests(place, versions));
  const runs = useManifests<AnalysisRun>(place, childrenOf(item, 'AnalysisRun'));
  const ref = { ...place, key: item.key, version: item.version };
  const { data: actions } = useResourceActions(ref, item.resourceVersion ?? '');
  const progress = rolloutProgress(rollout, sets, now);
  return (
    <div className="rollout">
      <p className="rollout-sentence">
        <HealthMark status={progress.health} size={18} /> {progress.sentence}
      </p>
      {actions && (
        <RolloutVerbs app={app} place={place} item={item} verbs={rolloutVerbs(rollout, progress, actions)} />
      )}
      {progress.weights && <Weights weights={progress.weights} />}
      <Steps progress={progress} />
      <AnalysisRuns runs={runPlots(runs, now)} items={childrenOf(item, 'AnalysisRun')} place={place} />
      <Revisions
        app={app}
        place={place}
        item={item}
        rollout={rollout}
        versions={versions}
        sets={sets}
        progress={progress}
        now={now}
      />
    </div>
  );
}

function Weights({ weights: { actual, wanted } }: { weights: NonNullable<RolloutProgress['weights']> }) {
  return (
    <section aria-label="Weights">
      <h3>Weights</h3>
      <div
        className="share-bar"
        role="img"
        aria-label={`New revision ${actual} percent, stable ${100 - actual} percent`}
      >
        {actual > 0 && <i className="share new" style={{ flexGrow: actual }} />}
        {actual < 100 && <i className="share old" style={{ flexGrow: 100 - actual }} />}
      </div>
      <p className="share-words">
        <span>
          <i className="share new" aria-hidden="true" /> new {actual}%
          {wanted !== actual && <span className="faint">, the steps want {wanted}%</span>}
        </span>
        <span>
          <i className="share old" aria-hidden="true" /> stable {100 - actual}%
        </span>
      </p>
    </section>
  );
}

const stateWords = { done: 'done', current: 'now', waiting: 'to come' };

function Steps({ progress: { steps, strategy, health } }: { progress: RolloutProgress }) {
  if (steps.length === 0)
    return (
      <p className="faint">
        This {strategy} has no steps: all pods are replaced as fast as they become ready.
      </p>
    );
  return (
    <section aria-label="Steps">
      <h3>Steps</h3>
      <ol className={steps.some(({ weight }) => weight !== undefined) ? 'rollout-steps' : 'rollout-way'}>
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
          <Step key={at} step={step} isPaused={health === 'Suspended'} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step: { title, state, weight }, isPaused }: { step: StepLine; isPaused: boolean }) {
  const current = isPaused ? 'Suspended' : 'Progressing';
  return (
    <li className={state} aria-current={state === 'current' ? 'step' : undefined}>
      {state === 'waiting' ? (
        <i className="step-dot" />
      ) : (
        <HealthMark status={state === 'done' ? 'Healthy' : current} size={14} />
      )}
      <span className="cut" title={title}>
        {title}
      </span>
      <small>{stateWords[state]}</small>
      {weight !== undefined && (
        <span className="step-weight" title={`${weight}% from here on`}>
          <i style={{ width: `${weight}%` }} />
        </span>
      )}
    </li>
  );
}

type RevisionsProps = Omit<Props, 'items'> & {
  versions: readonly TreeItem[];
  rollout: Rollout;
  sets: readonly RolloutReplicaSet[];
  progress: RolloutProgress;
  now: number;
};

function Revisions({ app, place, item, versions, rollout, sets, progress, now }: RevisionsProps) {
  const keyOf = (name: string) => versions.find((one) => one.name === name)?.key;
  return (
    <section aria-label="Revisions">
      <h3>Revisions</h3>
      {progress.revisions.length === 0 && <p className="faint">It has no revision yet.</p>}
      <ul className="rollout-revisions">
        {progress.revisions.map((revision) => (
          <li key={revision.name}>
            <div>
              <p>
                <Link to={viewPath(place, 'tree', keyOf(revision.name))}>
                  <b>Revision {revision.revision}</b>
                </Link>
                {revision.roles.map((role) => (
                  <span key={role} className={`role-tag ${role}`}>
                    {role}
                  </span>
                ))}
              </p>
              <p className="faint">
                {revision.images.map(imageTag).join(', ')}
                {revision.createdAt !== undefined && `, ${ago(revision.createdAt, now)}`}
              </p>
            </div>
            <span className="revision-pods">
              {revision.available}/{revision.pods} <small>ready</small>
            </span>
            <RevertRevision
              app={app}
              place={place}
              item={item}
              rollout={rollout}
              sets={sets}
              from={progress.revisions.find(({ isCurrent }) => isCurrent)}
              to={revision}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

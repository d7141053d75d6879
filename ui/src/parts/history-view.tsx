import './history.css';
import type { Application } from '#base/model';
import { useWhyNot } from '../data/use-may.ts';
import { useRevision } from '../data/use-revision.ts';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { deploymentsOf, type PastDeployment, whyNoRollback } from '../shape/history.ts';
import { authorOf, commitUrl, shortRevision, subjectOf } from '../shape/revision.ts';
import { rollbackRight } from '../shape/rights.ts';
import { ago, clockTime, duration } from '../shape/time.ts';

/** The deployments, newest first, each with its rollback. */
export function HistoryView({ app, now }: { app: Application; now: number }) {
  const deployments = deploymentsOf(app);
  if (deployments.length === 0) return <p className="none-left">Nothing has been deployed yet.</p>;
  return <History app={app} deployments={deployments} now={now} />;
}

type HistoryProps = { app: Application; deployments: readonly PastDeployment[]; now: number };

function History({ app, deployments, now }: HistoryProps) {
  const forbidden = useWhyNot(rollbackRight(app));
  const why = whyNoRollback(deployments) ?? (deployments.length > 1 ? forbidden : undefined);
  return (
    <>
      {why && <p className="history-note">No rollback now: {why}</p>}
      <ol className="history">
        {deployments.map((deployment) => (
          <HistoryRow key={deployment.id} app={app} deployment={deployment} forbidden={forbidden} now={now} />
        ))}
      </ol>
    </>
  );
}

type RowProps = {
  app: Application;
  deployment: PastDeployment;
  /** Why this user may not roll back. */
  forbidden: string | undefined;
  now: number;
};

function HistoryRow({ app, deployment, forbidden, now }: RowProps) {
  const address = useAddress();
  const { revision, deployedAt, by, ms, isCurrent, why, id } = deployment;
  const commit = useRevision(app, revision);
  const url = commitUrl(app, revision);
  return (
    <li className={isCurrent ? 'current' : undefined}>
      <div className="history-what">
        <p className="cut">
          <b>{commit ? subjectOf(commit) : shortRevision(revision)}</b>
          {isCurrent && <span className="now-tag">runs now</span>}
        </p>
        <p className="cut faint">
          {url ? (
            <a href={url} target="_blank" rel="noreferrer" className="textlink">
              <code>{shortRevision(revision)}</code>
            </a>
          ) : (
            <code>{shortRevision(revision)}</code>
          )}
          {commit && `, ${authorOf(commit)}`}
        </p>
      </div>
      <div className="history-when">
        <p>{deployedAt === undefined ? 'at an unknown time' : clockTime(deployedAt, now)}</p>
        <p className="faint">
          {deployedAt !== undefined && ago(deployedAt, now)}
          {ms !== undefined && `, took ${duration(ms)}`}
        </p>
      </div>
      <p className="history-by">{by}</p>
      <Button
        icon="back"
        className="small"
        why={why ?? forbidden}
        onClick={() => navigate(withQuery({ rollbackTo: String(id) }, address))}
      >
        Roll back…
      </Button>
    </li>
  );
}

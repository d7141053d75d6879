import './history.css';
import type { Application } from '#base/model';
import { useRevision } from '../data/use-revision.ts';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { deploymentsOf, type PastDeployment, whyNoRollback } from '../shape/history.ts';
import { authorOf, commitUrl, shortRevision, subjectOf } from '../shape/revision.ts';
import { ago, clockTime, duration } from '../shape/time.ts';

/** The deployments, newest first, each with its rollback. */
export function HistoryView({ app, now }: { app: Application; now: number }) {
  const deployments = deploymentsOf(app);
  if (deployments.length === 0) return <p className="none-left">Nothing has been deployed yet.</p>;
  const why = whyNoRollback(deployments);
  return (
    <>
      {why && <p className="history-note">No rollback now: {why}</p>}
      <ol className="history">
        {deployments.map((deployment) => (
          <HistoryRow key={deployment.id} app={app} deployment={deployment} now={now} />
        ))}
      </ol>
    </>
  );
}

function HistoryRow({ app, deployment, now }: { app: Application; deployment: PastDeployment; now: number }) {
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
        why={why}
        onClick={() => navigate(withQuery({ rollback: String(id) }, address))}
      >
        Roll back…
      </Button>
    </li>
  );
}

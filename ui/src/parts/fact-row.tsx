import './application.css';
import { type Application, parseTime } from '#base/model';
import { useRevision } from '../data/use-revision.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { type AppFact, checkedFact, destinationFact, policyFact, sourceFact } from '../shape/facts.ts';
import { authorOf, commitUrl, revisionOf, shortRevision, syncedInstead } from '../shape/revision.ts';
import { ago } from '../shape/time.ts';

/** The source, the destination, and the automation. */
export function FactRow({ app, now }: { app: Application; now: number }) {
  return (
    <dl className="facts">
      <FactCell fact={sourceFact(app)} />
      <RevisionCell app={app} now={now} />
      <FactCell fact={destinationFact(app)} />
      <FactCell fact={policyFact(app)} />
      <FactCell fact={checkedFact(app, now)} />
    </dl>
  );
}

/** A label, a value, and a line of detail. */
export function FactCell({ fact: { label, value, note, url } }: { fact: AppFact }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="cut" title={value}>
        {url ? (
          <a href={url} target="_blank" rel="noreferrer" className="textlink">
            {value}
          </a>
        ) : (
          value
        )}
      </dd>
      {note && (
        <dd className="cut faint" title={note}>
          {note}
        </dd>
      )}
    </div>
  );
}

function RevisionCell({ app, now }: { app: Application; now: number }) {
  const revision = revisionOf(app);
  const instead = syncedInstead(app);
  const commit = useRevision(app, revision);
  const then = parseTime(commit?.date);
  const url = revision && commitUrl(app, revision);
  const note = [commit ? authorOf(commit) : '', then === undefined ? '' : ago(then, now)]
    .filter(Boolean)
    .join(', ');
  return (
    <div>
      <dt>Revision</dt>
      <dd className="revision">
        {revision ? (
          <code>
            {url ? (
              <a href={url} target="_blank" rel="noreferrer" className="textlink">
                {shortRevision(revision)}
              </a>
            ) : (
              shortRevision(revision)
            )}
          </code>
        ) : (
          'none yet'
        )}
        {revision && <CopyButton text={revision} label="Copy the revision" />}
      </dd>
      <dd className="cut faint">{note}</dd>
      {instead && <dd className="faint">{instead}</dd>}
    </div>
  );
}

import './notifications.css';
import type { AppRef } from '../data/use-application.ts';
import { type Rehearsal, useNotificationPreview } from '../data/use-notifications.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { type PreviewLine, previewLines, previewSentence } from '../shape/notification-preview.ts';
import { toneOfHealth } from '../shape/state.ts';
import { HealthMark } from './mark.tsx';
import { Notices } from './notices.tsx';
import { YamlView } from './yaml-view.tsx';

/** The messages about an application as they would be now, one for each condition and destination. Nothing is sent. */
export function NotificationMessages({
  place,
  rehearsal,
  version,
  now,
}: {
  place: AppRef;
  rehearsal: Rehearsal;
  /** Changes whenever the application does. */
  version: string;
  now: number;
}) {
  const { data, error } = useNotificationPreview(place, rehearsal, version);
  if (!data && error) return <Problem title="Nothing can be rehearsed" message={error.message} />;
  if (!data) return <Skeleton label="Rendering the messages" rows={3} />;
  return (
    <>
      <p className="delivery-sentence" role="status">
        {previewSentence(data)}
      </p>
      <Notices
        notices={data.problems.map(({ severity, key, message }) => ({
          title: key,
          message,
          tone: severity === 'error' ? 'bad' : 'warn',
        }))}
      />
      <ul className="messages">
        {previewLines(data, now).map((line) => (
          <li key={line.key}>
            <Message line={line} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Message({ line }: { line: PreviewLine }) {
  const { destination, trigger, when, health, standing, message, part, error } = line;
  return (
    <article className="message" aria-label={`${trigger || 'Message'} to ${destination}`}>
      <header>
        <b>{destination}</b>
        {trigger && <span className="faint">{trigger}</span>}
        <span className={`standing tone-${health ? toneOfHealth(health) : 'dim'}`}>
          {health && <HealthMark status={health} size={14} />} {standing}
        </span>
      </header>
      {when && (
        <p className="message-when faint">
          when <code>{when}</code>
        </p>
      )}
      {error && <p className="complaint">{error}</p>}
      {message && health && <p className="message-text">{message}</p>}
      {message && !health && (
        <details>
          <summary>What it would say if it did</summary>
          <p className="message-text">{message}</p>
        </details>
      )}
      {part && (
        <details>
          <summary>What else {destination.split(':')[0]} gets</summary>
          <YamlView text={part} label="the fields" />
        </details>
      )}
    </article>
  );
}

import './application.css';
import type { Application } from '#model';
import { noticesOf } from '../shape/notices.ts';

/** Warnings and further errors, one a line. */
export function Notices({ app }: { app: Application }) {
  const notices = noticesOf(app);
  if (notices.length === 0) return null;
  return (
    <ul className="notices">
      {notices.map(({ title, message, tone }) => (
        <li key={title + message} className={`tone-${tone}`}>
          <b>{title}</b>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}

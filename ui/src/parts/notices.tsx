import './application.css';
import type { Notice } from '../shape/notices.ts';

/** Warnings and further errors, one a line. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
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

import './application.css';
import type { Notice } from '../shape/notices.ts';
import { WholeMessage } from './whole-message.tsx';

/** Warnings and further errors, one a line. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  if (notices.length === 0) return null;
  return (
    <ul className="notices">
      {notices.map(({ title, message, tone, whole }) => (
        <li key={title + message} className={`tone-${tone}`}>
          <b>{title}</b>
          <span>
            {message}
            {whole && <WholeMessage text={whole} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

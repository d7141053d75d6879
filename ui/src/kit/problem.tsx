import type { ReactNode } from 'react';

/** The broken state of a page or a part: what is wrong, in the server's words, and what to do next. */
export function Problem({
  title,
  message,
  children,
}: {
  title: string;
  message: string;
  children?: ReactNode;
}) {
  return (
    <div className="problem" role="alert">
      <h2>{title}</h2>
      <p>{message}</p>
      {children && <div className="problem-next">{children}</div>}
    </div>
  );
}

import type { ReactNode } from 'react';

type ProblemProps = {
  title: string;
  message: string;
  /** It is the whole page, not a part of one. */
  isPage?: boolean;
  /** The next step, so that nothing is a dead end. */
  children?: ReactNode;
};

/** The broken state of a page or a part: what is wrong, in the server's words, and what to do next. */
export function Problem({ title, message, isPage, children }: ProblemProps) {
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className="problem" role="alert">
      <Title>{title}</Title>
      <p>{message}</p>
      {children && <div className="problem-next">{children}</div>}
    </div>
  );
}

import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { addressOf } from './location.ts';
import { Problem } from './problem.tsx';

type Props = { children: ReactNode };
type State = { readonly message?: string };

/** A render error breaks one page, is shown there, and leaves a link to continue. */
export class Boundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <Problem
        isPage
        title="This page broke while it was drawn"
        message={`${message}. That is a mistake of ours.`}
      >
        <Button onClick={() => location.assign(addressOf('/applications'))}>All applications</Button>
        <Button variant="act" onClick={() => location.reload()}>
          Load it again
        </Button>
      </Problem>
    );
  }
}

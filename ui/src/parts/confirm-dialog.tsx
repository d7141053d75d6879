import type { ReactNode } from 'react';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';

/** What will happen, then the button that does it. An error keeps the dialog open. */
export function ConfirmDialog({
  title,
  action,
  variant = 'act',
  why,
  error,
  isRunning,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The words on the button. */
  action: string;
  variant?: 'act' | 'danger';
  /** Why it cannot be confirmed yet. */
  why?: string | undefined;
  error: string | undefined;
  isRunning: boolean;
  onConfirm(): void;
  onClose(): void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant={variant} why={isRunning ? 'The request is on its way.' : why} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="confirm">
        {children}
        {error && (
          <p className="complaint" role="alert">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}

import { type ReactNode, useState } from 'react';
import { useAction } from '../data/use-action.ts';
import { Button } from '../kit/button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** A button that deletes one thing after saying what follows from it. */
export function Deletion({
  what,
  label = 'Delete…',
  why,
  remove,
  onDone,
  children,
}: {
  /** `repository https://…` */
  what: string;
  label?: string;
  /** Why the user may not. */
  why?: string | undefined;
  remove(): Promise<unknown>;
  onDone(): void;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const act = useAction(remove, () => {
    setOpen(false);
    onDone();
  });
  return (
    <>
      <Button className="small" why={why} onClick={() => setOpen(true)} aria-label={`${label} ${what}`}>
        {label}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`${label.replace('…', '')} ${what}?`}
          action={label.replace('…', '')}
          variant="danger"
          error={act.error}
          isRunning={act.isRunning}
          onConfirm={() => act.run()}
          onClose={() => setOpen(false)}
        >
          <p>{children}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

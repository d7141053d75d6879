import { type ReactNode, Suspense, useState } from 'react';
import { TextField } from '../kit/field.tsx';
import { Icon } from '../kit/icon.tsx';
import { Menu } from '../kit/menu.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

type MoreItem = {
  readonly label: string;
  readonly note: string;
  /** Present: it cannot be chosen, and why. */
  readonly why: string | undefined;
  /** What opens when it is chosen. */
  open(close: () => void): ReactNode;
};

/** What is done to an object seldom: a menu, and the dialog of what was chosen. */
export function MoreMenu({ items }: { items: readonly MoreItem[] }) {
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <Menu
        label="More actions"
        items={items.map(({ label, note, why }) => ({ label, note, why, onChoose: () => setChosen(label) }))}
      >
        <Icon name="more" />
      </Menu>
      <Suspense fallback={null}>
        {items.find(({ label }) => label === chosen)?.open(() => setChosen(undefined))}
      </Suspense>
    </>
  );
}

type DeletionProps = {
  name: string;
  /** `Name of the set` */
  label: string;
  deletion: { run(): void; readonly error?: string; readonly isRunning: boolean };
  onClose(): void;
  children: ReactNode;
};

/** A deletion that is confirmed by typing the name of the object. */
export function DeleteByName({ name, label, deletion, onClose, children }: DeletionProps) {
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      variant="danger"
      why={typed === name ? undefined : `Type ${name} to confirm.`}
      error={deletion.error}
      isRunning={deletion.isRunning}
      onConfirm={() => deletion.run()}
      onClose={onClose}
    >
      {children}
      <TextField label={label} value={typed} onChange={setTyped} />
    </ConfirmDialog>
  );
}

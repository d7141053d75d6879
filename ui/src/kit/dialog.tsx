import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';

export type DialogProps = {
  title: string;
  /** A sheet stands at the right edge and is as high as the page; a wide one has room for two columns. */
  place?: 'centre' | 'sheet' | 'wide' | 'top';
  /** No visible head, for a dialog whose first line is an input. */
  headless?: boolean;
  onClose(): void;
  foot?: ReactNode;
  children: ReactNode;
};

/** The browser's own modal dialog: it traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, place = 'centre', headless, onClose, foot, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) {
      element.showModal();
      // not the close button, which the browser would choose: what the dialog is for, or else its beginning
      (
        element.querySelector<HTMLElement>('[data-first]') ??
        element.querySelector<HTMLElement>('.dialog-box')
      )?.focus();
    }
    return () => element?.close(); // before it leaves the page, so that the focus finds its way back
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, and the dialog's own
    <dialog
      ref={dialog}
      className={`dialog ${place}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="dialog-box" tabIndex={-1}>
        <header className={headless ? 'unseen' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {!headless && <Button variant="quiet" icon="close" aria-label="Close" onClick={onClose} />}
        </header>
        <div className="dialog-body">{children}</div>
        {foot && <footer className="dialog-foot">{foot}</footer>}
      </div>
    </dialog>
  );
}

import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> & {
  variant?: 'plain' | 'act' | 'danger' | 'quiet';
  icon?: IconName;
  /** Present: the button is disabled and shows this reason, on hover and on focus. */
  why?: string | undefined;
  /** A tooltip for pointer users: the key that does the same. */
  hint?: string | undefined;
  children?: ReactNode;
};

/** A button that cannot be used stays reachable, because its reason has to be. */
export function Button({ variant = 'plain', icon, why, hint, children, onClick, ...rest }: ButtonProps) {
  const id = useId();
  const tip = why ?? hint;
  return (
    <span className="tipped">
      <button
        type="button"
        {...rest}
        className={`button ${variant}${children ? '' : ' bare'} ${rest.className ?? ''}`}
        aria-disabled={why ? true : undefined}
        aria-describedby={tip ? id : undefined}
        onClick={(event) => {
          if (why) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {icon && <Icon name={icon} />}
        {children}
      </button>
      {tip && (
        <span role="tooltip" id={id} className={why ? 'tip reason' : 'tip'}>
          {tip}
        </span>
      )}
    </span>
  );
}

import { useState } from 'react';
import { realClock } from '#base/std';
import { Button } from './button.tsx';

/** Copies a text and confirms it for a moment, beside the pointer. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    await realClock.sleep(1500, new AbortController().signal);
    setCopied(false);
  };
  return (
    <Button
      variant="quiet"
      icon={isCopied ? 'tick' : 'copy'}
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => {
        copy().catch(() => setCopied(false)); // no permission to write: nothing is claimed
      }}
    />
  );
}

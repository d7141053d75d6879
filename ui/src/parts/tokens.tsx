import { useState } from 'react';
import { useAction } from '../data/use-action.ts';
import { Button } from '../kit/button.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { TextField } from '../kit/field.tsx';
import { fullTime } from '../shape/time.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Deletion } from './deletion.tsx';

export type TokenLine = {
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt?: number | undefined;
};

/** The tokens of an account or a role: each with its end, and a way to make another. A new one is shown once. */
export function Tokens({
  of,
  tokens,
  why,
  whyNoRevoke,
  create,
  remove,
  onDone,
}: {
  of: string;
  tokens: readonly TokenLine[];
  /** Why none can be made. */
  why?: string | undefined;
  /** Why none can be revoked. */
  whyNoRevoke?: string | undefined;
  create(id: string, days: number): Promise<{ token: string }>;
  remove(token: TokenLine): Promise<unknown>;
  onDone(): void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="tokens says-why">
      {tokens.map((token) => (
        <div key={token.id} className="token-row">
          <code className="cut">{token.id}</code>
          <small>{token.expiresAt ? `until ${fullTime(token.expiresAt * 1000)}` : 'never expires'}</small>
          <Deletion
            what={`token ${token.id}`}
            label="Revoke…"
            why={whyNoRevoke}
            remove={() => remove(token)}
            onDone={onDone}
          >
            Programs that use it are refused from now on.
          </Deletion>
        </div>
      ))}
      {tokens.length === 0 && <small>no tokens</small>}
      <Button
        className="small"
        icon="plus"
        why={why}
        aria-label={`New token of ${of}`}
        onClick={() => setOpen(true)}
      >
        New token
      </Button>
      {isOpen && <NewToken of={of} create={create} onClose={() => setOpen(false)} onDone={onDone} />}
    </div>
  );
}

function NewToken({
  of,
  create,
  onClose,
  onDone,
}: {
  of: string;
  create(id: string, days: number): Promise<{ token: string }>;
  onClose(): void;
  onDone(): void;
}) {
  const [id, setId] = useState('');
  const [days, setDays] = useState('90');
  const [token, setToken] = useState<string>();
  const act = useAction(async () => setToken((await create(id.trim(), Number(days))).token), onDone);
  const isNumber = /^\d{1,5}$/.test(days);
  return (
    <ConfirmDialog
      title={`New token of ${of}`}
      action={token ? 'Done' : 'Create'}
      why={isNumber ? undefined : 'The number of days is no whole number.'}
      error={act.error}
      isRunning={act.isRunning}
      onConfirm={() => (token ? onClose() : act.run())}
      onClose={onClose}
    >
      {token ? (
        <>
          <p>Copy it now: it is shown this once, and stored nowhere.</p>
          <p className="secret">
            <code>{token}</code>
            <CopyButton text={token} label="Copy the token" />
          </p>
        </>
      ) : (
        <>
          <TextField label="Name" note="Empty: a random one" value={id} onChange={setId} />
          <TextField label="Days" note="0: it never expires" value={days} onChange={setDays} />
        </>
      )}
    </ConfirmDialog>
  );
}

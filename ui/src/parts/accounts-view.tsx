import type { AccountView } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useWhyNot } from '../data/use-may.ts';
import { useUser } from '../data/use-session.ts';
import { createAccountToken, deleteAccountToken, useAccounts } from '../data/use-settings.ts';
import { DataTable } from '../kit/data-table.tsx';
import { accountsSentence } from '../shape/section-sentences.ts';
import { Listed } from './listed.tsx';
import { SectionOpening } from './section-opening.tsx';
import { Tokens } from './tokens.tsx';

/** The local accounts: what each may do, and its tokens. */
export function AccountsView({ now }: { now: number }) {
  const list = useAccounts();
  return (
    <>
      <SectionOpening
        title="Accounts"
        note="Local accounts are for people without single sign-on, and for programs."
        spans={list.data && accountsSentence(list.data, now)}
      />
      <Listed what="accounts" list={list}>
        {(rows) => (
          <DataTable
            caption="Accounts"
            rows={rows}
            keyOf={({ name }) => name}
            none="There are no local accounts that you may see."
            columns={[
              { label: 'Account', width: '22%', cell: ({ name }) => name },
              { label: 'State', width: '12%', cell: ({ enabled }) => (enabled ? 'enabled' : 'disabled') },
              {
                label: 'May',
                width: '22%',
                cell: ({ capabilities }) => capabilities.map(words).join(', ') || 'nothing',
              },
              {
                label: 'Tokens',
                cell: (account) => <AccountTokens account={account} onDone={list.reload} />,
              },
            ]}
          />
        )}
      </Listed>
    </>
  );
}

function AccountTokens({ account, onDone }: { account: AccountView; onDone(): void }) {
  const send = useSend();
  const { name, tokens = [] } = account;
  const { data: user } = useUser();
  const missing = useWhyNot({ resource: 'accounts', action: 'update', object: name });
  // compat server §2.8: an account has every right on itself
  const why = user?.username === name ? undefined : missing;
  return (
    <Tokens
      of={name}
      tokens={tokens}
      why={why ?? whyNoToken(account)}
      whyNoRevoke={why}
      create={(id, days) => createAccountToken(send, name, id, days)}
      remove={({ id }) => deleteAccountToken(send, name, id)}
      onDone={onDone}
    />
  );
}

const words = (capability: string): string =>
  ({ login: 'log in', apiKey: 'have tokens' })[capability] ?? capability;

const whyNoToken = ({ name, capabilities }: AccountView): string | undefined =>
  capabilities.includes('apiKey')
    ? undefined
    : `Account ${name} has no apiKey capability: set accounts.${name}: apiKey in argocd-cm.`;

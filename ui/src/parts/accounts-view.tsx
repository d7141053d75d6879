import type { AccountView } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { createAccountToken, deleteAccountToken, useAccounts } from '../data/use-settings.ts';
import { DataTable } from '../kit/data-table.tsx';
import { Listed } from './listed.tsx';
import { Tokens } from './tokens.tsx';

/** The local accounts: what each may do, and its tokens. */
export function AccountsView() {
  const send = useSend();
  const list = useAccounts();
  return (
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
              cell: (account) => (
                <Tokens
                  of={account.name}
                  tokens={account.tokens ?? []}
                  why={whyNoToken(account)}
                  create={(id, days) => createAccountToken(send, account.name, id, days)}
                  remove={({ id }) => deleteAccountToken(send, account.name, id)}
                  onDone={list.reload}
                />
              ),
            },
          ]}
        />
      )}
    </Listed>
  );
}

const words = (capability: string): string =>
  ({ login: 'log in', apiKey: 'have tokens' })[capability] ?? capability;

const whyNoToken = ({ name, capabilities }: AccountView): string | undefined =>
  capabilities.includes('apiKey')
    ? undefined
    : `Account ${name} has no apiKey capability: set accounts.${name}: apiKey in argocd-cm.`;

import { useState } from 'react';
import { effectiveSources, sameRepo } from '#base/model';
import type { RepositoryInput, RepositoryView } from '#serve/api';
import { useApplications, useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNotAnywhere } from '../data/use-may.ts';
import {
  connectRepository,
  deleteRepository,
  refreshRepository,
  testRepository,
  useRepositories,
  useTemplates,
} from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import { Link } from '../kit/link.tsx';
import { Select } from '../kit/select.tsx';
import { applicationsPath } from '../shape/address.ts';
import { repoName } from '../shape/revision.ts';
import { counted } from '../shape/span.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ConnectionMark } from './connection-mark.tsx';
import { Deletion } from './deletion.tsx';
import { Listed } from './listed.tsx';

/** The repositories with their connection and the applications that use them, and a form that connects another. */
export function RepositoriesView({ now }: { now: number }) {
  const list = useRepositories();
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNotAnywhere('repositories', 'create');
  return (
    <>
      <div className="section-head">
        <Button variant="act" icon="plus" why={why} onClick={() => setOpen(true)}>
          Connect a repository
        </Button>
      </div>
      <Listed what="repositories" list={list}>
        {(rows) => <Table rows={rows} now={now} reload={list.reload} />}
      </Listed>
      <Templates />
      {isOpen && <ConnectDialog onClose={() => setOpen(false)} onDone={list.reload} />}
    </>
  );
}

function Table({ rows, now, reload }: { rows: readonly RepositoryView[]; now: number; reload(): void }) {
  const send = useSend();
  const { items: apps = [] } = useApplications();
  const usersOf = ({ repo }: RepositoryView) =>
    apps.filter(({ spec }) => effectiveSources(spec).some(({ repoURL }) => sameRepo(repoURL, repo))).length;
  return (
    <DataTable
      caption="Repositories"
      rows={rows}
      keyOf={({ repo, project = '' }) => `${project} ${repo}`}
      none="No repository is connected. Public ones need no entry here."
      columns={[
        {
          label: 'Repository',
          width: '34%',
          cell: ({ repo, name }) => (
            <>
              {name || repoName(repo)}
              <small className="block">{repo}</small>
            </>
          ),
        },
        { label: 'Type', width: '8%', cell: ({ type }) => type || 'git' },
        {
          label: 'Project',
          width: '12%',
          cell: ({ project }) => project || <span className="faint">every</span>,
        },
        {
          label: 'Used by',
          width: '14%',
          cell: (row) => (
            <Link to={`${applicationsPath}?repo=${encodeURIComponent(row.repo)}`} className="textlink">
              {counted(usersOf(row), 'application')}
            </Link>
          ),
        },
        {
          label: 'Connection',
          cell: ({ connectionState }) => <ConnectionMark state={connectionState} now={now} />,
        },
        {
          label: 'Actions',
          width: '172px',
          cell: (row) => (
            <div className="row-tools">
              <Retry row={row} onDone={reload} />
              <Deletion what={repoName(row.repo)} remove={() => deleteRepository(send, row)} onDone={reload}>
                Applications that need its credentials cannot be rendered any more:{' '}
                {counted(usersOf(row), 'application')} use it.
              </Deletion>
            </div>
          ),
        },
      ]}
    />
  );
}

function Retry({ row, onDone }: { row: RepositoryView; onDone(): void }) {
  const send = useSend();
  const act = useAction(() => refreshRepository(send, row), onDone);
  return (
    <Button
      className="small"
      aria-label={`Test ${repoName(row.repo)}`}
      why={act.isRunning ? 'The connection is tested.' : undefined}
      onClick={() => act.run()}
    >
      Test
    </Button>
  );
}

function Templates() {
  const list = useTemplates();
  return (
    <section aria-label="Credential templates" className="section">
      <h2>Credential templates</h2>
      <p className="faint">Repositories whose address begins with one of these use its credentials.</p>
      <Listed what="credential templates" list={list}>
        {(rows) => (
          <DataTable
            caption="Credential templates"
            rows={rows}
            keyOf={({ url }) => url}
            none="There are none."
            columns={[
              { label: 'Begins with', width: '50%', cell: ({ url }) => url },
              { label: 'Type', cell: ({ type }) => type || 'git' },
              { label: 'User', cell: ({ username }) => username || <span className="faint">none</span> },
            ]}
          />
        )}
      </Listed>
    </section>
  );
}

const first: RepositoryInput = { repo: '', type: 'git' };

function ConnectDialog({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const send = useSend();
  const [input, setInput] = useState<RepositoryInput>(first);
  const test = useAction(() => testRepository(send, input));
  const save = useAction(
    () => connectRepository(send, input),
    () => {
      onClose();
      onDone();
    },
  );
  const set = (changes: Partial<RepositoryInput>) => setInput({ ...input, ...changes });
  const text = (name: 'repo' | 'name' | 'project' | 'username' | 'password') => ({
    value: input[name] ?? '',
    onChange: (value: string) => set({ [name]: value }),
  });
  const isSsh = /^(?:ssh:\/\/|[^/]+@)/.test(input.repo);
  return (
    <ConfirmDialog
      title="Connect a repository"
      action="Connect"
      why={input.repo.trim() ? undefined : 'Its address is missing.'}
      error={save.error ?? test.error}
      isRunning={save.isRunning}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <Select
        label="Type"
        value={input.type ?? 'git'}
        options={['git', 'helm', 'oci'].map((type) => ({ value: type, label: type }))}
        onChange={(type) => set({ type: type === 'helm' || type === 'oci' ? type : 'git' })}
      >
        Type
      </Select>
      <TextField label="Address" placeholder="https://git.example.com/shop/deploy.git" {...text('repo')} />
      <TextField label="Project" note="Empty: every project may use it" {...text('project')} />
      {isSsh ? (
        <TextArea
          label="Private SSH key"
          value={input.sshPrivateKey ?? ''}
          onChange={(sshPrivateKey) => set({ sshPrivateKey })}
        />
      ) : (
        <>
          <TextField label="User" autoComplete="off" {...text('username')} />
          <TextField
            label="Password or token"
            type="password"
            autoComplete="new-password"
            {...text('password')}
          />
        </>
      )}
      <Checkbox
        checked={input.insecure === true}
        onChange={(insecure) => set({ insecure })}
        label="Without checking its identity"
        note="Certificates and host keys are not verified"
      />
      <div className="row-tools">
        <Button
          className="small"
          why={test.isRunning ? 'The connection is tested.' : undefined}
          onClick={() => test.run()}
        >
          Test the connection
        </Button>
        {test.done > 0 && !test.error && !test.isRunning && (
          <span className="tone-good standing">It works.</span>
        )}
      </div>
    </ConfirmDialog>
  );
}

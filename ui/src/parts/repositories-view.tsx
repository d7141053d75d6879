import { type ReactNode, useState } from 'react';
import { effectiveSources, sameRepo } from '#base/model';
import type { RepositoryView, TemplateView } from '#serve/api';
import { useApplications, useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNot, useWhyNotAnywhere } from '../data/use-may.ts';
import {
  deleteRepository,
  deleteTemplate,
  refreshRepository,
  useRepositories,
  useTemplates,
} from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { Link } from '../kit/link.tsx';
import { applicationsPath } from '../shape/address.ts';
import { repoName } from '../shape/revision.ts';
import {
  repositoriesSentence,
  type UnlistedRepository,
  unlistedRepositories,
} from '../shape/section-sentences.ts';
import { counted } from '../shape/span.ts';
import { ConnectionMark } from './connection-mark.tsx';
import { Deletion } from './deletion.tsx';
import { Listed } from './listed.tsx';
import { RepositoryEditor, TemplateEditor } from './repository-editor.tsx';
import { SectionOpening } from './section-opening.tsx';

/** The repositories with their connection and the applications that use them, and a form that connects another. */
export function RepositoriesView({ now }: { now: number }) {
  const list = useRepositories();
  const { items: apps = [] } = useApplications();
  const [edited, setEdited] = useState<RepositoryView | 'new'>();
  const why = useWhyNotAnywhere('repositories', 'create');
  return (
    <>
      <SectionOpening
        title="Repositories"
        note="Repositories are where manifests come from."
        spans={list.data && repositoriesSentence(list.data, apps, now)}
      />
      <div className="section-head">
        <Button variant="act" icon="plus" why={why} onClick={() => setEdited('new')}>
          Connect a repository
        </Button>
      </div>
      <Listed what="repositories" list={list}>
        {(rows) => <Table rows={rows} now={now} reload={list.reload} onEdit={setEdited} />}
      </Listed>
      {list.data && <Unlisted rows={unlistedRepositories(list.data, apps)} />}
      <Templates />
      {edited && (
        <RepositoryEditor
          {...(edited !== 'new' && { before: edited })}
          onClose={() => setEdited(undefined)}
          onDone={list.reload}
        />
      )}
    </>
  );
}

type TableProps = {
  rows: readonly RepositoryView[];
  now: number;
  reload(): void;
  onEdit(row: RepositoryView): void;
};

function Table({ rows, now, reload, onEdit }: TableProps) {
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
          width: '236px',
          cell: (row) => (
            <div className="row-tools">
              <Retry row={row} onDone={reload} />
              <Edit what={repoName(row.repo)} object={objectOf(row)} onOpen={() => onEdit(row)} />
              <Removal
                what={repoName(row.repo)}
                object={objectOf(row)}
                remove={() => deleteRepository(send, row)}
                onDone={reload}
              >
                Applications that need its credentials cannot be rendered any more:{' '}
                {counted(usersOf(row), 'application')} use it.
              </Removal>
            </div>
          ),
        },
      ]}
    />
  );
}

/** What applications read from without an entry above. */
function Unlisted({ rows }: { rows: readonly UnlistedRepository[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label="Repositories without an entry" className="section">
      <h2>Without an entry</h2>
      <p className="faint">Applications read from these as the public does, or by a template below.</p>
      <DataTable
        caption="Repositories without an entry"
        rows={rows}
        keyOf={({ repo }) => repo}
        none=""
        columns={[
          { label: 'Repository', width: '60%', cell: ({ repo }) => repo },
          {
            label: 'Used by',
            cell: ({ repo, count }) => (
              <Link to={`${applicationsPath}?repo=${encodeURIComponent(repo)}`} className="textlink">
                {counted(count, 'application')}
              </Link>
            ),
          },
        ]}
      />
    </section>
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
  const send = useSend();
  const list = useTemplates();
  const [edited, setEdited] = useState<TemplateView | 'new'>();
  const why = useWhyNot({ resource: 'repositories', action: 'create', object: '*' });
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
              { label: 'Begins with', width: '40%', cell: ({ url }) => url },
              { label: 'Type', cell: ({ type }) => type || 'git' },
              {
                label: 'Credentials',
                cell: ({ username, githubAppID }) =>
                  username
                    ? `user ${username}`
                    : githubAppID
                      ? `GitHub App ${githubAppID}`
                      : 'without a user',
              },
              {
                label: 'Actions',
                width: '172px',
                cell: (row) => (
                  <div className="row-tools">
                    <Edit what={row.url} object={row.url} onOpen={() => setEdited(row)} />
                    <Removal
                      what={row.url}
                      object={row.url}
                      remove={() => deleteTemplate(send, row.url)}
                      onDone={list.reload}
                    >
                      Repositories that use its credentials cannot be read any more.
                    </Removal>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Listed>
      <div>
        <Button icon="plus" why={why} onClick={() => setEdited('new')}>
          New template
        </Button>
      </div>
      {edited && (
        <TemplateEditor
          {...(edited !== 'new' && { before: edited })}
          onClose={() => setEdited(undefined)}
          onDone={list.reload}
        />
      )}
    </section>
  );
}

/** compat server §4: a repository of a project has the project before its address. */
const objectOf = ({ project, repo }: RepositoryView): string => (project ? `${project}/${repo}` : repo);

function Edit({ what, object, onOpen }: { what: string; object: string; onOpen(): void }) {
  const why = useWhyNot({ resource: 'repositories', action: 'update', object });
  return (
    <Button className="small" aria-label={`Edit ${what}`} why={why} onClick={onOpen}>
      Edit…
    </Button>
  );
}

type RemovalProps = {
  what: string;
  object: string;
  remove(): Promise<unknown>;
  onDone(): void;
  children: ReactNode;
};

function Removal({ object, ...rest }: RemovalProps) {
  return <Deletion {...rest} why={useWhyNot({ resource: 'repositories', action: 'delete', object })} />;
}

import { useState } from 'react';
import { type AppProject, argoApiVersion, projectName } from '#base/model';
import { useApplications, useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNot } from '../data/use-may.ts';
import { saveProject, useProjects } from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { TextField } from '../kit/field.tsx';
import { Link } from '../kit/link.tsx';
import { navigate } from '../kit/location.ts';
import { sectionPath } from '../shape/address.ts';
import { projectsSentence } from '../shape/section-sentences.ts';
import { counted } from '../shape/span.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Listed } from './listed.tsx';
import { SectionOpening } from './section-opening.tsx';

/** The projects: what each permits and how much uses it. */
export function ProjectsView({ now }: { now: number }) {
  const list = useProjects();
  const { items: apps = [] } = useApplications();
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNot({ resource: 'projects', action: 'create', object: '*' });
  const usersOf = ({ metadata }: AppProject) =>
    apps.filter((app) => projectName(app) === metadata.name).length;
  return (
    <>
      <SectionOpening
        title="Projects"
        note="Projects define what may be deployed from where to where, and who may do it."
        spans={list.data && projectsSentence(list.data, apps, now)}
      />
      <div className="section-head">
        <Button variant="act" icon="plus" why={why} onClick={() => setOpen(true)}>
          New project
        </Button>
      </div>
      <Listed what="projects" list={list}>
        {(rows) => (
          <DataTable
            caption="Projects"
            rows={rows}
            keyOf={({ metadata }) => metadata.name}
            none="There are no projects that you may see."
            columns={[
              {
                label: 'Project',
                width: '22%',
                cell: ({ metadata: { name } }) => (
                  <Link to={sectionPath('projects', name)} className="textlink">
                    {name}
                  </Link>
                ),
              },
              {
                label: 'Description',
                cell: ({ spec }) => spec.description || <span className="faint">none</span>,
              },
              { label: 'Applications', width: '13%', cell: (row) => usersOf(row) },
              {
                label: 'Sources',
                width: '14%',
                cell: ({ spec }) => amount(spec.sourceRepos ?? [], 'repository'),
              },
              {
                label: 'Destinations',
                width: '14%',
                cell: ({ spec }) =>
                  amount(
                    (spec.destinations ?? []).map(({ server = '', namespace = '' }) =>
                      server === '*' && namespace === '*' ? '*' : server,
                    ),
                    'destination',
                  ),
              },
              { label: 'Windows', width: '10%', cell: ({ spec }) => spec.syncWindows?.length ?? 0 },
            ]}
          />
        )}
      </Listed>
      {isOpen && <NewProject onClose={() => setOpen(false)} />}
    </>
  );
}

const amount = (list: readonly string[], noun: string): string =>
  list.includes('*') ? 'every' : counted(list.length, noun).replace('repositorys', 'repositories');

function NewProject({ onClose }: { onClose(): void }) {
  const send = useSend();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const project: AppProject = {
    apiVersion: argoApiVersion,
    kind: 'AppProject',
    metadata: { name },
    spec: { ...(description && { description }) },
  };
  const save = useAction(
    () => saveProject(send, project, true),
    () => navigate(`${sectionPath('projects', name)}?tab=manifest`),
  );
  return (
    <ConfirmDialog
      title="New project"
      action="Create"
      why={
        /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)
          ? undefined
          : 'Give it a name of small letters, digits and dashes.'
      }
      error={save.error}
      isRunning={save.isRunning}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <p className="faint">It permits nothing yet: sources and destinations come next.</p>
    </ConfirmDialog>
  );
}

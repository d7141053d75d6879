import { type ReactNode, useState } from 'react';
import type { AppProject } from '#base/model';
import { print } from '#lang/yaml';
import { useApplications, useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNot } from '../data/use-may.ts';
import {
  createRoleToken,
  deleteProject,
  deleteRoleToken,
  saveProject,
  useProject,
  useProjectEvents,
  useProjectLinks,
} from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { sectionPath } from '../shape/address.ts';
import { withoutBookkeeping } from '../shape/changes.ts';
import { projectIn, projectRules, projectSentence, rolesOf } from '../shape/project.ts';
import { type FormList, projectFormOf, withoutItem } from '../shape/project-edit.ts';
import { LinkRow } from './deep-links.tsx';
import { Deletion } from './deletion.tsx';
import { EventsView } from './events-view.tsx';
import { Listed } from './listed.tsx';
import { ProjectForms } from './project-forms.tsx';
import { RightsTester } from './rights-tester.tsx';
import { Sentence } from './sentence.tsx';
import { Tokens } from './tokens.tsx';
import { WindowCalendar } from './window-calendar.tsx';

const tabs = ['rules', 'roles', 'windows', 'rights', 'events', 'manifest'] as const;
const labels = {
  rules: 'What may go where',
  roles: 'Roles',
  windows: 'Windows',
  rights: 'Rights tester',
  events: 'Events',
  manifest: 'Manifest',
};

/** One project: what it permits, its roles and tokens, its windows, and a tester of its rights. */
export function ProjectView({ name, now }: { name: string; now: number }) {
  const list = useProject(name);
  return (
    <Listed what="project" list={list}>
      {(project) => <Shown project={project} now={now} reload={list.reload} />}
    </Listed>
  );
}

type PartProps = { project: AppProject; why: string | undefined; reload(): void };
type ShownProps = { project: AppProject; now: number; reload(): void };

function Shown({ project, now, reload }: ShownProps) {
  const send = useSend();
  const address = useAddress();
  const { items: apps = [] } = useApplications();
  const { name } = project.metadata;
  const noUpdate = useWhyNot({ resource: 'projects', action: 'update', object: name });
  const part = { project, why: noUpdate, reload };
  const why = useWhyNot({ resource: 'projects', action: 'delete', object: name });
  const tab =
    tabs.find((one) => one === address.query.get('tab')) ?? projectFormOf(address.query)?.tab ?? 'rules';
  return (
    <>
      <div className="opening">
        <Sentence spans={projectSentence(project, apps, now)} />
        <div className="actions">
          <Deletion
            what={`project ${name}`}
            why={why}
            remove={() => deleteProject(send, name)}
            onDone={() => navigate(sectionPath('projects'))}
          >
            A project that applications still use cannot be deleted.
          </Deletion>
        </div>
      </div>
      <LinkRow links={useProjectLinks(name)} />
      <div className="application-tabs">
        <Tabs
          label="Views"
          current={tab}
          tabs={tabs.map((id) => ({ id, label: labels[id], to: withQuery({ tab: id }, address) }))}
        />
      </div>
      <TabPanel id={tab}>
        {tab === 'rules' && <Rules {...part} />}
        {tab === 'roles' && <Roles {...part} />}
        {tab === 'windows' && <Windows {...part} now={now} />}
        {tab === 'rights' && <RightsTester project={project} />}
        {tab === 'events' && <ProjectEvents name={name} now={now} />}
        {tab === 'manifest' && <Manifest project={project} reload={reload} />}
      </TabPanel>
      <ProjectForms {...part} />
    </>
  );
}

const adding = {
  sourceRepos: { label: 'Permit a repository', form: { newSource: 'true' } },
  destinations: { label: 'Permit a destination', form: { newDestination: 'true' } },
} as const;

function Rules(props: PartProps) {
  const { project, why } = props;
  const address = useAddress();
  return (
    <div className="rule-lists">
      {projectRules(project).map(({ title, rows, none, of }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          {rows.length === 0 && <p className="faint">{none}</p>}
          <ul>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two rows may be alike, and the item is found by its place
              <li key={`${at} ${row}`} className={of && 'rule-row'}>
                <span>{row}</span>
                {of && (
                  <RemoveItem {...props} of={of} at={at} what={row}>
                    Applications that need it cannot be compared or synced any more.
                  </RemoveItem>
                )}
              </li>
            ))}
          </ul>
          {of && (
            <Button
              className="small"
              icon="plus"
              why={why}
              onClick={() => navigate(withQuery(adding[of].form, address))}
            >
              {adding[of].label}
            </Button>
          )}
        </section>
      ))}
    </div>
  );
}

type RemoveProps = PartProps & { of: FormList; at: number; what: string; children: ReactNode };

function RemoveItem({ project, why, reload, of, at, what, children }: RemoveProps) {
  const send = useSend();
  return (
    <Deletion
      what={what}
      label="Remove…"
      why={why}
      remove={() => saveProject(send, withoutItem(project, of, at), false)}
      onDone={reload}
    >
      {children}
    </Deletion>
  );
}

function Windows({ now, ...props }: PartProps & { now: number }) {
  const { project, why } = props;
  const address = useAddress();
  const to = (changes: Record<string, string>) => () => navigate(withQuery(changes, address));
  return (
    <>
      <WindowCalendar
        project={project}
        now={now}
        tools={(at) => (
          <div className="row-tools">
            <Button
              className="small"
              aria-label={`Edit window ${at + 1}`}
              why={why}
              onClick={to({ editWindow: String(at) })}
            >
              Edit…
            </Button>
            <RemoveItem {...props} of="syncWindows" at={at} what={`window ${at + 1}`}>
              It blocks and permits nothing any more.
            </RemoveItem>
          </div>
        )}
      />
      <div className="form-below">
        <Button icon="plus" why={why} onClick={to({ newWindow: 'true' })}>
          New window
        </Button>
      </div>
    </>
  );
}

function Roles(props: PartProps) {
  const { project, why, reload } = props;
  const send = useSend();
  const address = useAddress();
  const { name } = project.metadata;
  const roles = rolesOf(project);
  return (
    <div className="rule-lists wide">
      {roles.length === 0 && <p className="none-left">It has no roles.</p>}
      {roles.map((role, at) => (
        <section key={role.name} aria-label={`Role ${role.name}`}>
          <h3 className="rule-row">
            <span>{role.name}</span>
            <Button
              className="small"
              aria-label={`Edit role ${role.name}`}
              why={why}
              onClick={() => navigate(withQuery({ editRole: role.name }, address))}
            >
              Edit…
            </Button>
            <RemoveItem {...props} of="roles" at={at} what={`role ${role.name}`}>
              Its tokens are refused from now on.
            </RemoveItem>
          </h3>
          <p className="faint">
            {[role.description, role.groups.length > 0 ? `groups ${role.groups.join(', ')}` : '']
              .filter(Boolean)
              .join('; ')}
          </p>
          <ul>
            {role.policies.map((policy) => (
              <li key={policy}>
                <code>{policy}</code>
              </li>
            ))}
          </ul>
          <Tokens
            of={role.name}
            tokens={role.tokens.map(({ id, iat, exp }) => ({ id, issuedAt: iat, expiresAt: exp }))}
            why={why}
            whyNoRevoke={why}
            create={(id, days) => createRoleToken(send, { project: name, role: role.name, id, days })}
            remove={({ id, issuedAt }) => deleteRoleToken(send, name, role.name, { id, iat: issuedAt })}
            onDone={reload}
          />
        </section>
      ))}
      <div>
        <Button icon="plus" why={why} onClick={() => navigate(withQuery({ newRole: 'true' }, address))}>
          New role
        </Button>
      </div>
    </div>
  );
}

function ProjectEvents({ name, now }: { name: string; now: number }) {
  return <EventsView events={useProjectEvents(name)} now={now} of="project" />;
}

/** The project as YAML; the server refuses what would make an application of it invalid. */
function Manifest({ project, reload }: { project: AppProject; reload(): void }) {
  const send = useSend();
  const { status: _, ...declared } = project;
  const first = print(withoutBookkeeping(declared));
  const [text, setText] = useState(first);
  const why = useWhyNot({ resource: 'projects', action: 'update', object: project.metadata.name });
  const save = useAction(async () => saveProject(send, projectIn(text), false), reload);
  return (
    <div className="editor plain">
      <CodeEditor label="Manifest of the project" value={text} onChange={setText} problem={save.error} />
      {save.error && (
        <p className="complaint" role="alert">
          {save.error}
        </p>
      )}
      <div className="editor-foot">
        <Button why={text === first ? 'Nothing was changed.' : undefined} onClick={() => setText(first)}>
          Undo
        </Button>
        <Button
          variant="act"
          why={why ?? (text === first ? 'Nothing was changed.' : undefined)}
          onClick={() => save.run()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}

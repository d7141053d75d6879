import { useState } from 'react';
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
} from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { Link } from '../kit/link.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { sectionPath } from '../shape/address.ts';
import { withoutBookkeeping } from '../shape/changes.ts';
import { projectHintOf } from '../shape/foreign-links.ts';
import { projectIn, projectRules, projectSentence, rolesOf } from '../shape/project.ts';
import { Deletion } from './deletion.tsx';
import { EventsView } from './events-view.tsx';
import { Listed } from './listed.tsx';
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

type ShownProps = { project: AppProject; now: number; reload(): void };

function Shown({ project, now, reload }: ShownProps) {
  const send = useSend();
  const address = useAddress();
  const { items: apps = [] } = useApplications();
  const { name } = project.metadata;
  const hint = projectHintOf(address.query);
  const tab = tabs.find((one) => one === address.query.get('tab')) ?? hint?.tab ?? 'rules';
  return (
    <>
      <div className="opening">
        <Sentence spans={projectSentence(project, apps, now)} />
        <div className="actions">
          <Deletion
            what={`project ${name}`}
            remove={() => deleteProject(send, name)}
            onDone={() => navigate(sectionPath('projects'))}
          >
            A project that applications still use cannot be deleted.
          </Deletion>
        </div>
      </div>
      <div className="application-tabs">
        <Tabs
          label="Views"
          current={tab}
          tabs={tabs.map((id) => ({ id, label: labels[id], to: withQuery({ tab: id }, address) }))}
        />
      </div>
      <TabPanel id={tab}>
        {hint?.tab === tab && (
          <p className="project-hint" role="note">
            {hint.text}{' '}
            <Link to={withQuery({ tab: 'manifest' }, address)} className="textlink">
              Open the manifest
            </Link>
          </p>
        )}
        {tab === 'rules' && <Rules project={project} />}
        {tab === 'roles' && <Roles project={project} reload={reload} />}
        {tab === 'windows' && <WindowCalendar project={project} now={now} />}
        {tab === 'rights' && <RightsTester project={project} />}
        {tab === 'events' && <ProjectEvents name={name} now={now} />}
        {tab === 'manifest' && <Manifest project={project} reload={reload} />}
      </TabPanel>
    </>
  );
}

function Rules({ project }: { project: AppProject }) {
  return (
    <div className="rule-lists">
      {projectRules(project).map(({ title, rows, none }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          {rows.length === 0 && <p className="faint">{none}</p>}
          <ul>
            {rows.map((row) => (
              <li key={row}>{row}</li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Roles({ project, reload }: { project: AppProject; reload(): void }) {
  const send = useSend();
  const { name } = project.metadata;
  const roles = rolesOf(project);
  const why = useWhyNot({ resource: 'projects', action: 'update', object: name });
  if (roles.length === 0) {
    return <p className="none-left">It has no roles. They stand in spec.roles of its manifest.</p>;
  }
  return (
    <div className="rule-lists wide">
      {roles.map((role) => (
        <section key={role.name} aria-label={`Role ${role.name}`}>
          <h3>{role.name}</h3>
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
            create={(id, days) => createRoleToken(send, { project: name, role: role.name, id, days })}
            remove={({ id, issuedAt }) => deleteRoleToken(send, name, role.name, { id, iat: issuedAt })}
            onDone={reload}
          />
        </section>
      ))}
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

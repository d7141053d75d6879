import { useState } from 'react';
import type { AppProject } from '#base/model';
import { accounts, call } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { judgeRole, rolesOf, type Verdict } from '../shape/project.ts';
import { HealthMark } from './mark.tsx';

const resources = ['applications', 'applicationsets', 'logs', 'exec', 'repositories', 'clusters', 'projects'];
const actions = ['get', 'create', 'update', 'delete', 'sync', 'override', 'action/*'];

/** May a subject do this? For oneself the server answers; for a role of the project, its own policies and the line that decides. */
export function RightsTester({ project }: { project: AppProject }) {
  const send = useSend();
  const { name } = project.metadata;
  const [subject, setSubject] = useState('');
  const [resource, setResource] = useState('applications');
  const [action, setAction] = useState('sync');
  const [object, setObject] = useState(`${name}/*`);
  const [verdict, setVerdict] = useState<Verdict>();
  const judge = useAction(async () => {
    if (subject) return setVerdict(judgeRole(project, subject, { resource, action, object }));
    const { value } = await call(send, accounts.canI, { params: { resource, action, object } });
    setVerdict({ isAllowed: value === 'yes', why: 'as the server decides for your session' });
  });
  const choose = (set: (value: string) => void) => (value: string) => {
    set(value);
    setVerdict(undefined);
  };
  const list = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  return (
    <div className="tester">
      <Select
        label="Subject"
        value={subject}
        options={[
          { value: '', label: 'You' },
          ...rolesOf(project).map((role) => ({ value: role.name, label: `role ${role.name}` })),
        ]}
        onChange={choose(setSubject)}
      >
        May
      </Select>
      <Select label="Action" value={action} options={list(actions)} onChange={choose(setAction)}>
        do
      </Select>
      <Select label="Resource" value={resource} options={list(resources)} onChange={choose(setResource)}>
        to
      </Select>
      <TextField label="Object" value={object} onChange={choose(setObject)} />
      <Button variant="act" onClick={() => judge.run()}>
        Test
      </Button>
      <p role="status" className="tester-verdict">
        {verdict && (
          <>
            <HealthMark status={verdict.isAllowed ? 'Healthy' : 'Degraded'} />{' '}
            <b>{verdict.isAllowed ? 'Yes' : 'No'}</b>, {verdict.why}
          </>
        )}
        {judge.error}
      </p>
    </div>
  );
}

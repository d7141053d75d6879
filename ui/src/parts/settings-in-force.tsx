import { useServerSettings } from '../data/use-session.ts';
import { DataTable } from '../kit/data-table.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { type SettingLine, settingsInForce, withoutEffect } from '../shape/settings-in-force.ts';
import { Notices } from './notices.tsx';

/** The settings as they are in force, and where each value comes from. */
export function SettingsInForce() {
  const { data, error } = useServerSettings();
  if (!data && error) return <Problem title="The settings cannot be shown" message={error.message} />;
  if (!data) return <Skeleton label="Loading the settings" rows={10} />;
  return (
    <>
      <Notices notices={withoutEffect(data).map((one) => ({ ...one, tone: 'warn' }))} />
      <DataTable
        caption="Settings in force"
        rows={settingsInForce(data)}
        keyOf={({ key }) => key}
        none=""
        columns={[
          { label: 'Setting', width: '30%', cell: ({ label }) => label },
          {
            label: 'Value',
            cell: ({ value }) => (value === 'not set' ? <span className="faint">{value}</span> : value),
          },
          { label: 'Comes from', width: '38%', cell: (line) => <Origin line={line} /> },
        ]}
      />
    </>
  );
}

function Origin({ line: { isSet, configMap, key } }: { line: SettingLine }) {
  return (
    <>
      {isSet ? 'Set by ' : <span className="faint">The default; set by </span>}
      <code>{key}</code>{' '}
      <span className="faint">
        of <span className="whole">{configMap}</span>
      </span>
    </>
  );
}

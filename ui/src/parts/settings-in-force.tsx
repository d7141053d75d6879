import { useState } from 'react';
import { useServerSettings } from '../data/use-session.ts';
import { DataTable } from '../kit/data-table.tsx';
import { TextField } from '../kit/field.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import {
  type SettingLine,
  type SettingsInForce as Settings,
  settingsInForce,
  settingsSentence,
  settingsWith,
} from '../shape/settings-in-force.ts';
import { SectionOpening } from './section-opening.tsx';

/** Every setting: what is set and to what, and the default of everything else. */
export function SettingsInForce() {
  const { data, error } = useServerSettings();
  const all = data && settingsInForce(data);
  return (
    <>
      <SectionOpening
        title="Settings in force"
        note="The settings as the server uses them now, each with the key that sets it."
        spans={all && settingsSentence(all)}
      />
      {!data && error && <Problem title="The settings cannot be shown" message={error.message} />}
      {!data && !error && <Skeleton label="Loading the settings" rows={10} />}
      {all && <Found all={all} />}
    </>
  );
}

function Found({ all }: { all: Settings }) {
  const [wanted, setWanted] = useState('');
  return (
    <>
      <div className="narrow">
        <TextField label="Find a setting" placeholder="timeout" value={wanted} onChange={setWanted} />
      </div>
      <Lines caption="Set here" lines={settingsWith(all.set, wanted)} none="No such key is set." />
      <Lines
        caption="Defaults of all other settings"
        lines={settingsWith(all.defaults, wanted)}
        none="There is no other setting of this name."
      />
    </>
  );
}

function Lines({ caption, lines, none }: { caption: string; lines: readonly SettingLine[]; none: string }) {
  return (
    <section className="section" aria-label={caption}>
      <h2>{caption}</h2>
      <DataTable
        caption={caption}
        rows={lines}
        keyOf={({ configMap, key }) => `${configMap} ${key}`}
        none={none}
        columns={[
          { label: 'Setting', width: '38%', cell: (line) => <Name line={line} /> },
          { label: 'Value', width: '32%', cell: ({ value }) => <Value value={value} /> },
          {
            label: 'Effect',
            cell: ({ trouble }) => (trouble ? <span className="tone-warn">{trouble}</span> : 'used'),
          },
        ]}
      />
    </section>
  );
}

function Name({ line: { label, key, configMap } }: { line: SettingLine }) {
  return (
    <>
      {label && <span className="block">{label}</span>}
      <code>{key}</code>
      <small className="block">
        of <span className="whole">{configMap}</span>
      </small>
    </>
  );
}

function Value({ value }: { value: string | undefined }) {
  if (value === undefined)
    return <span className="faint">is set; only a user who may update accounts sees to what</span>;
  if (value === '') return <span className="faint">not set</span>;
  if (!value.includes('\n')) return <span>{value}</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long value is scrolled by keyboard, too
    <pre className="setting-value" tabIndex={0}>
      {value}
    </pre>
  );
}

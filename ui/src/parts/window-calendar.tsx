import type { AppProject } from '#base/model';
import { viewWindows } from '#engine';
import { DataTable } from '../kit/data-table.tsx';
import { type CalendarHour, windowCalendar } from '../shape/project.ts';
import { clockTime } from '../shape/time.ts';

const words: Readonly<Record<CalendarHour, string>> = {
  none: 'syncs may begin',
  allow: 'an allow window is open',
  deny: 'a deny window blocks syncs',
  blocked: 'no allow window is open: syncs are blocked',
};
const states: readonly CalendarHour[] = ['allow', 'deny', 'blocked', 'none'];

/** The sync windows of a week, hour by hour, and each window with when it changes next. */
export function WindowCalendar({ project, now }: { project: AppProject; now: number }) {
  const windows = project.spec.syncWindows ?? [];
  if (windows.length === 0)
    return <p className="none-left">It has no windows: syncs may begin at any time.</p>;
  const hour = Math.floor(now / 3_600_000) * 3_600_000; // drawn again once an hour
  return (
    <>
      <div
        className="calendar"
        role="img"
        aria-label="Sync windows of the next seven days; the table below has them in words"
      >
        <div className="calendar-day hours">
          <small />
          {['00', '03', '06', '09', '12', '15', '18', '21'].map((at) => (
            <small key={at}>{at}:00</small>
          ))}
        </div>
        {windowCalendar(windows, hour).map(({ at, hours }) => (
          <div key={at} className="calendar-day">
            <small>{new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric' })}</small>
            {hours.map((state, one) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
              <i key={one} className={state} title={`${one}:00, ${words[state]}`} />
            ))}
          </div>
        ))}
      </div>
      <ul className="calendar calendar-legend" aria-hidden="true">
        {states.map((state) => (
          <li key={state}>
            <i className={state} /> {words[state]}
          </li>
        ))}
      </ul>
      <DataTable
        caption="Sync windows"
        rows={viewWindows(windows, new Date(now)).map((view, at) => ({ ...view, at }))}
        keyOf={({ at }) => String(at)}
        none=""
        columns={[
          { label: 'Window', width: '12%', cell: ({ window }) => window.kind ?? 'allow' },
          {
            label: 'Schedule',
            width: '26%',
            cell: ({ window }) => (
              <>
                <code>{window.schedule}</code> for {window.duration} {window.timeZone}
              </>
            ),
          },
          {
            label: 'Now',
            width: '24%',
            cell: ({ open, changesAt, problem }) =>
              problem ??
              `${open ? 'in force' : 'not in force'}${changesAt ? ` until ${clockTime(changesAt.getTime(), now)}` : ''}`,
          },
          {
            label: 'For',
            cell: ({ window: { applications = [], namespaces = [], clusters = [] } }) =>
              [
                ...applications,
                ...namespaces.map((one) => `namespace ${one}`),
                ...clusters.map((one) => `cluster ${one}`),
              ].join(', '),
          },
          {
            label: 'By hand',
            width: '10%',
            cell: ({ window }) => (window.manualSync ? 'permitted' : 'blocked, too'),
          },
        ]}
      />
    </>
  );
}

import { type ReactNode, useMemo } from 'react';
import type { AppProject } from '#base/model';
import { viewWindows } from '#engine';
import { DataTable } from '../kit/data-table.tsx';
import { clockTime } from '../shape/time.ts';
import { type CalendarDay, type WindowState, windowCalendar } from '../shape/window-calendar.ts';

const words: Readonly<Record<WindowState, string>> = {
  none: 'syncs may begin',
  allow: 'an allow window is open',
  deny: 'a deny window blocks syncs',
  blocked: 'no allow window is open: syncs are blocked',
};
const states: readonly WindowState[] = ['allow', 'deny', 'blocked', 'none'];

type CalendarProps = {
  project: AppProject;
  now: number;
  /** What may be done with a window. */
  tools(at: number): ReactNode;
};

/** The sync windows of a week, to the minute, and each window with when it changes next. */
export function WindowCalendar({ project, now, tools }: CalendarProps) {
  const windows = project.spec.syncWindows ?? [];
  const minute = Math.floor(now / 60_000) * 60_000;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const days = useMemo(() => windowCalendar(windows, minute, timeZone), [windows, minute, timeZone]);
  if (windows.length === 0)
    return <p className="none-left">It has no windows: syncs may begin at any time.</p>;
  return (
    <>
      <p className="faint">
        The calendar shows the clock of this browser, {timeZone}. A schedule counts on the clock of its own
        zone.
      </p>
      <div
        className="calendar"
        role="img"
        aria-label={`Sync windows of the next seven days, times in ${timeZone}; the table below has them in words`}
      >
        <div className="calendar-day hours">
          <small />
          {['00', '03', '06', '09', '12', '15', '18', '21'].map((at) => (
            <small key={at}>{at}:00</small>
          ))}
        </div>
        {days.map((day) => (
          <Day key={day.at} day={day} />
        ))}
      </div>
      <ul className="calendar calendar-legend" aria-hidden="true">
        {states.map((state) => (
          <li key={state}>
            <i className={state} /> {words[state]}
          </li>
        ))}
        <li>
          <b className="calendar-now" /> now
        </li>
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
                <code>{window.schedule}</code> for {window.duration}, in {window.timeZone || 'UTC'}
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
            cell: ({ window }) => (window.manualSync ? 'permitted' : 'blocked'),
          },
          { label: 'Actions', width: '172px', cell: ({ at }) => tools(at) },
        ]}
      />
    </>
  );
}

function Day({ day: { label, stretches, now } }: { day: CalendarDay }) {
  const share = (minutes: number): string => `${(minutes / (24 * 60)) * 100}%`;
  return (
    <div className="calendar-day">
      <small>{label}</small>
      <div className="calendar-track">
        {stretches.map(({ from, to, state }) => (
          <i
            key={`${from} ${to}`}
            className={state}
            style={{ left: share(from), width: share(to - from) }}
            title={`${label}, ${clock(from)} to ${clock(to)}: ${words[state]}`}
          />
        ))}
        {now !== undefined && (
          <b className="calendar-now" style={{ left: share(now) }} title={`now, ${clock(now)}`} />
        )}
      </div>
    </div>
  );
}

const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

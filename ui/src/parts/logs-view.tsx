import './logs.css';
import { type Application, parseKey } from '#base/model';
import { type AppRef, useManifest } from '../data/use-application.ts';
import { type LogsQuery, type PodLogLine, type Logs as ReadLogs, useLogs } from '../data/use-logs.ts';
import { useWhyNot } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { download } from '../kit/download.ts';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Select } from '../kit/select.tsx';
import {
  containersOf,
  fileOf,
  type LogChoice,
  logChoiceOf,
  podsIn,
  searchLines,
  sinceChoices,
} from '../shape/logs.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { applicationObject } from '../shape/rights.ts';
import { counted } from '../shape/span.ts';
import { LogLines } from './log-lines.tsx';

/** The logs of all pods of a resource, or of the whole application: merged, or one by one. */
export function LogsView({ app, ...props }: LogsProps & { app: Application }) {
  const why = useWhyNot({ resource: 'logs', action: 'get', object: applicationObject(app) });
  return why ? <Problem title="The logs cannot be shown" message={why} /> : <Logs {...props} />;
}

type LogsProps = {
  place: AppRef;
  /** Absent: all pods of the application. */
  item?: TreeItem;
  items: readonly TreeItem[];
};

function Logs({ place, item, items }: LogsProps) {
  const { query } = useAddress();
  const choice = logChoiceOf(query);
  const pods = podsIn(items);
  const logs = useLogs(place, queryOf(choice, item));
  const [first] = pods;
  if (!first) return <p className="none-left">It has no pods, so there are no logs.</p>;
  const shown = searchLines(logs.lines, choice);
  const chosen = pods.find(({ name }) => name === choice.pod) ?? first;
  return (
    <div className="logs">
      <LogsBar place={place} choice={choice} pods={pods} chosen={chosen} shown={shown} />
      <LogLines lines={shown} choice={choice} manyPods={pods.length > 1 && !choice.pod} />
      <LogsFoot logs={logs} choice={choice} shown={shown.length} />
    </div>
  );
}

function queryOf(
  { follow, previous, container, pod, since }: LogChoice,
  item: TreeItem | undefined,
): LogsQuery {
  const named = item && !pod ? parseKey(item.key) : undefined;
  return {
    follow,
    tailLines: 5000,
    ...(named && {
      group: named.group,
      kind: named.kind,
      namespace: named.namespace,
      resourceName: named.name,
    }),
    ...(pod && { podName: pod }),
    ...(container && { container }),
    ...(previous && { previous }),
    ...(since > 0 && { sinceSeconds: since }),
  };
}

type BarProps = {
  place: AppRef;
  choice: LogChoice;
  pods: readonly TreeItem[];
  chosen: TreeItem;
  shown: readonly PodLogLine[];
};

function LogsBar({ place, choice, pods, chosen, shown }: BarProps) {
  const address = useAddress();
  const { data: manifest } = useManifest(place, chosen);
  const set = (changes: Record<string, string | undefined>) =>
    navigate(withQuery(changes, address), 'replace');
  const containers = containersOf(manifest);
  const flip = (name: string, isOn: boolean) => set({ [name]: isOn ? undefined : 'true' });
  return (
    <div className="logs-bar">
      <input
        className="input"
        type="search"
        aria-label="Search the logs"
        placeholder="Search, or !without"
        value={choice.search}
        onChange={(event) => set({ filterText: event.target.value })}
      />
      {pods.length > 1 && (
        <Select
          label="Pod"
          value={choice.pod}
          onChange={(pod) => set({ pod, container: undefined })}
          options={[
            { value: '', label: `All ${pods.length} pods` },
            ...pods.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      )}
      {containers.length > 1 && (
        <Select
          label="Container"
          value={choice.container}
          onChange={(container) => set({ container })}
          options={[
            { value: '', label: 'First container' },
            ...containers.map((name) => ({ value: name, label: name })),
          ]}
        />
      )}
      <Select
        label="Since"
        value={String(choice.since)}
        onChange={(since) => set({ sinceSeconds: since === '0' ? undefined : since })}
        options={sinceChoices.map(({ seconds, label }) => ({ value: String(seconds), label }))}
      />
      <Toggle
        label="Follow"
        isOn={choice.follow}
        why={choice.previous ? 'The previous container has ended.' : undefined}
        onFlip={() => set({ follow: choice.follow ? 'false' : undefined })}
      />
      <Toggle
        label="Previous"
        isOn={choice.previous}
        onFlip={() => flip('showPreviousLogs', choice.previous)}
      />
      <Toggle
        label="Wrap"
        isOn={choice.wrap}
        onFlip={() => set({ wrap: choice.wrap ? 'false' : undefined })}
      />
      <Toggle label="Times" isOn={choice.times} onFlip={() => flip('viewTimestamps', choice.times)} />
      <Button className="small" onClick={() => download(`${choice.pod || place.name}.log`, fileOf(shown))}>
        Download
      </Button>
    </div>
  );
}

function Toggle({
  label,
  isOn,
  why,
  onFlip,
}: {
  label: string;
  isOn: boolean;
  why?: string | undefined;
  onFlip(): void;
}) {
  return (
    <Button className="small toggle" aria-pressed={isOn} why={why} onClick={onFlip}>
      {label}
    </Button>
  );
}

function LogsFoot({ logs, choice, shown }: { logs: ReadLogs; choice: LogChoice; shown: number }) {
  const { lines, state, dropped, error } = logs;
  const found =
    choice.search && lines.length > 0
      ? `${shown} of ${counted(lines.length, 'line')}`
      : counted(shown, 'line');
  const rest = state === 'ended' ? 'the end' : choice.follow ? 'following' : 'reading';
  return (
    <p className="logs-foot faint" role="status">
      {found}
      {dropped > 0 && `, ${dropped} older ones left out`}, {rest}
      {error && <span className="complaint">{error}</span>}
    </p>
  );
}

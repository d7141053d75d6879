import { useState } from 'react';
import type { ClusterView } from '#serve/api';
import { useApplications, useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useWhyNot, useWhyNotAnywhere } from '../data/use-may.ts';
import { deleteCluster, readClusterAgain, useClusters } from '../data/use-settings.ts';
import { Breakable } from '../kit/breakable.tsx';
import { Button } from '../kit/button.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { Link } from '../kit/link.tsx';
import { applicationsPath } from '../shape/address.ts';
import { clusterOf } from '../shape/application-filter.ts';
import { clustersSentence } from '../shape/section-sentences.ts';
import { counted } from '../shape/span.ts';
import { ClusterEditor } from './cluster-editor.tsx';
import { ConnectionMark } from './connection-mark.tsx';
import { Deletion } from './deletion.tsx';
import { Listed } from './listed.tsx';
import { SectionOpening } from './section-opening.tsx';

/** The clusters: connection, version, size of the cache and applications. */
export function ClustersView({ now }: { now: number }) {
  const list = useClusters();
  const [isOpen, setOpen] = useState(false);
  const { items: apps = [] } = useApplications();
  const why = useWhyNotAnywhere('clusters', 'create');
  return (
    <>
      <SectionOpening
        title="Clusters"
        note="Clusters are where applications run."
        spans={list.data && clustersSentence(list.data, apps, now)}
      />
      <div className="section-head">
        <Button variant="act" icon="plus" why={why} onClick={() => setOpen(true)}>
          Add a cluster
        </Button>
      </div>
      <Listed what="clusters" list={list}>
        {(rows) => <Table rows={rows} now={now} reload={list.reload} />}
      </Listed>
      {isOpen && <ClusterEditor onClose={() => setOpen(false)} onDone={list.reload} />}
    </>
  );
}

function Table({ rows, now, reload }: { rows: readonly ClusterView[]; now: number; reload(): void }) {
  const { items: apps = [] } = useApplications();
  const on = ({ name, server }: ClusterView) =>
    apps.filter((app) => [name, server.replace(/^https?:\/\//, '')].includes(clusterOf(app))).length;
  return (
    <DataTable
      caption="Clusters"
      rows={rows}
      keyOf={({ server }) => server}
      none="No cluster is registered: fairlead cluster add."
      columns={[
        {
          label: 'Cluster',
          width: '20%',
          cell: ({ name, server }) => (
            <>
              <Breakable text={name || server} />
              <small className="block">
                <Breakable text={server} />
              </small>
            </>
          ),
        },
        {
          label: 'Version',
          width: '9%',
          cell: ({ info }) =>
            info.serverVersion ? (
              <Breakable text={info.serverVersion} />
            ) : (
              <span className="faint">unknown</span>
            ),
        },
        {
          label: 'Connection',
          width: '16%',
          cell: ({ info }) => <ConnectionMark state={info.connectionState} now={now} />,
        },
        {
          label: 'Cache',
          width: '12%',
          cell: ({ info: { cacheInfo } }) =>
            `${cacheInfo.resourcesCount ?? 0} resources of ${cacheInfo.apisCount ?? 0} kinds`,
        },
        {
          label: 'Applications',
          width: '9%',
          cell: (row) => (
            <Link to={`${applicationsPath}?cluster=${encodeURIComponent(row.name)}`} className="textlink">
              {row.info.applicationsCount || on(row)}
            </Link>
          ),
        },
        {
          label: 'Limits',
          cell: ({ namespaces, project }) =>
            [
              namespaces?.length ? `namespaces ${namespaces.join(', ')}` : '',
              project ? `project ${project}` : '',
            ]
              .filter(Boolean)
              .join('; ') || <span className="faint">none</span>,
        },
        {
          label: 'Actions',
          width: '264px',
          cell: (row) => (
            <div className="row-tools">
              <Edit row={row} onDone={reload} />
              <ReadAgain row={row} onDone={reload} />
              <Removal row={row} count={on(row)} onDone={reload} />
            </div>
          ),
        },
      ]}
    />
  );
}

function Edit({ row, onDone }: { row: ClusterView; onDone(): void }) {
  const [isOpen, setOpen] = useState(false);
  const name = row.name || row.server;
  const why = useWhyNotCluster(row, 'update');
  return (
    <>
      <Button className="small" aria-label={`Edit ${name}`} why={why} onClick={() => setOpen(true)}>
        Edit…
      </Button>
      {isOpen && <ClusterEditor cluster={row} onClose={() => setOpen(false)} onDone={onDone} />}
    </>
  );
}

/** compat server §4: a cluster of a project has the project before its address. */
const useWhyNotCluster = ({ project, server }: ClusterView, action: string): string | undefined =>
  useWhyNot({ resource: 'clusters', action, object: project ? `${project}/${server}` : server });

function Removal({ row, count, onDone }: { row: ClusterView; count: number; onDone(): void }) {
  const send = useSend();
  return (
    <Deletion
      what={row.name || row.server}
      label="Remove…"
      why={useWhyNotCluster(row, 'delete')}
      remove={() => deleteCluster(send, row.server)}
      onDone={onDone}
    >
      Nothing in the cluster changes. {counted(count, 'application')} cannot be compared or synced any more.
    </Deletion>
  );
}

function ReadAgain({ row, onDone }: { row: ClusterView; onDone(): void }) {
  const send = useSend();
  const act = useAction(() => readClusterAgain(send, row.server), onDone);
  const why = useWhyNotCluster(row, 'update');
  return (
    <Button
      className="small"
      aria-label={`Read ${row.name || row.server} again`}
      hint={act.error ?? 'Empties the cache and lists everything again'}
      why={act.isRunning ? 'The cluster is read again.' : why}
      onClick={() => act.run()}
    >
      Read again
    </Button>
  );
}

import type { Item } from '../item.ts';
import {
  age,
  boolean,
  type Column,
  containers,
  images,
  integer,
  list,
  mapText,
  name,
  names,
  num,
  orNone,
  selector,
  shortDuration,
  since,
  spec,
  status,
  str,
  text,
  view,
} from './column.ts';

const replicaColumns: readonly Column[] = [
  name,
  integer('Desired', (item) => num(spec(item).replicas)),
  integer('Current', (item) => num(status(item).replicas)),
  integer('Ready', (item) => num(status(item).readyReplicas)),
  age,
  containers,
  images,
];

export const workloadColumns: Readonly<Record<string, readonly Column[]>> = {
  'apps/deployments': [
    name,
    text('Ready', (item) => `${num(status(item).readyReplicas)}/${num(spec(item).replicas)}`),
    text('Up-to-date', (item) => num(status(item).updatedReplicas)),
    text('Available', (item) => num(status(item).availableReplicas)),
    age,
    containers,
    images,
    selector,
  ],
  'apps/replicasets': [...replicaColumns, selector],
  '/replicationcontrollers': [
    ...replicaColumns,
    { ...selector, cell: (item) => mapText(spec(item).selector) },
  ],
  'apps/statefulsets': [
    name,
    text('Ready', (item) => `${num(status(item).readyReplicas)}/${num(spec(item).replicas)}`),
    age,
    containers,
    images,
  ],
  'apps/daemonsets': [
    name,
    integer('Desired', (item) => num(status(item).desiredNumberScheduled)),
    integer('Current', (item) => num(status(item).currentNumberScheduled)),
    integer('Ready', (item) => num(status(item).numberReady)),
    integer('Up-to-date', (item) => num(status(item).updatedNumberScheduled)),
    integer('Available', (item) => num(status(item).numberAvailable)),
    text('Node Selector', (item) => mapText(view(view(spec(item).template).spec).nodeSelector)),
    age,
    containers,
    images,
    selector,
  ],
  'batch/jobs': [
    name,
    text('Status', jobStatus),
    text('Completions', jobCompletions),
    text('Duration', jobDuration),
    age,
    containers,
    images,
    selector,
  ],
  'batch/cronjobs': [
    name,
    text('Schedule', (item) => str(spec(item).schedule)),
    text('Timezone', (item) => orNone(spec(item).timeZone)),
    boolean('Suspend', (item) => (spec(item).suspend === true ? 'True' : 'False')),
    integer('Active', (item) => list(status(item).active).length),
    text('Last Schedule', (item, now) => lastSchedule(item, now)),
    age,
    { ...containers, cell: (item, now) => containers.cell(jobTemplate(item), now) },
    { ...images, cell: (item, now) => images.cell(jobTemplate(item), now) },
    { ...selector, cell: (item, now) => selector.cell(jobTemplate(item), now) },
  ],
  '/podtemplates': [
    name,
    text('Containers', (item) => names(list(podOf(item).containers), 'name')),
    text('Images', (item) => names(list(podOf(item).containers), 'image')),
    text('Pod Labels', (item) => mapText(view(view(item.template).metadata).labels)),
  ],
  'apps/controllerrevisions': [
    name,
    text('Controller', (item) => {
      const owner = item.metadata.ownerReferences?.find((ref) => ref.controller);
      return owner ? `${owner.kind.toLowerCase()}${groupSuffix(owner.apiVersion)}/${owner.name}` : '<none>';
    }),
    text('Revision', (item) => num(item.revision)),
    age,
  ],
};

const podOf = (item: Item) => view(view(item.template).spec);

const groupSuffix = (apiVersion: string): string =>
  apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';

const jobTemplate = (item: Item): Item => ({ ...item, spec: view(spec(item).jobTemplate).spec });

function lastSchedule(item: Item, now: number): string {
  const last = status(item).lastScheduleTime;
  return last === undefined ? '<none>' : since(last, now);
}

function jobStatus(item: Item): string {
  const conditions = list(status(item).conditions);
  const has = (type: string) => conditions.some((c) => c.type === type && c.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (item.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletions(item: Item): string {
  const { completions, parallelism } = spec(item);
  const succeeded = num(status(item).succeeded);
  if (completions !== undefined) return `${succeeded}/${num(completions)}`;
  return num(parallelism) > 1 ? `${succeeded}/1 of ${num(parallelism)}` : `${succeeded}/1`;
}

function jobDuration(item: Item, now: number): string {
  const { startTime, completionTime } = status(item);
  if (startTime === undefined) return '';
  const end = completionTime === undefined ? now : Date.parse(str(completionTime));
  return shortDuration(end - Date.parse(str(startTime)));
}

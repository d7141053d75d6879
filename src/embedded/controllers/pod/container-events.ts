import type { RecordedEvent } from '../recorded-event.ts';
import type { Container, ContainerStatus, Pod, PodStatus } from './view.ts';

type ContainerEvent = Omit<RecordedEvent, 'component'>;

/** compat cluster 5.1: the kubelet's events about containers whose state has changed. */
export function containerEventsOf(pod: Pod, after: PodStatus): readonly ContainerEvent[] {
  return (['initContainers', 'containers'] as const).flatMap((field) =>
    (statusesOf(after, field) ?? []).flatMap((status) => {
      const before = statusesOf(pod.status ?? {}, field)?.find(({ name }) => name === status.name);
      const container = pod.spec?.[field]?.find(({ name }) => name === status.name) ?? {};
      const fieldPath = `spec.${field}{${status.name}}`;
      return change(pod, container, before, status).map((news) => ({ ...news, fieldPath }));
    }),
  );
}

/** The events for stopping the running containers. */
export const stopEvents = ({ status = {} }: Pod): readonly ContainerEvent[] =>
  (status.containerStatuses ?? [])
    .filter(({ state }) => state.running)
    .map(({ name }) => ({
      ...normal('Killing', `Stopping container ${name}`),
      fieldPath: `spec.containers{${name}}`,
    }));

const statusesOf = (status: PodStatus, field: 'initContainers' | 'containers') =>
  field === 'containers' ? status.containerStatuses : status.initContainerStatuses;

const normal = (reason: string, message: string): ContainerEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): ContainerEvent => ({ type: 'Warning', reason, message });

function change(
  pod: Pod,
  container: Container,
  before: ContainerStatus | undefined,
  { state, containerID }: ContainerStatus,
): ContainerEvent[] {
  if (containerID !== undefined && containerID !== before?.containerID) return startNews(container);
  const { reason = '', message = '' } = state.waiting ?? {};
  if (reason === before?.state.waiting?.reason) return [];
  return waitNews(pod, container, reason, message);
}

const startNews = ({ image = '' }: Container): ContainerEvent[] => [
  normal('Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`),
  normal('Created', 'Container created'),
  normal('Started', 'Container started'),
];

function waitNews(
  pod: Pod,
  { name, image = '' }: Container,
  reason: string,
  message: string,
): ContainerEvent[] {
  switch (reason) {
    case 'ErrImagePull':
      return [
        normal('Pulling', `Pulling image "${image}"`),
        warning('Failed', `Failed to pull image "${image}": ${message}`),
        warning('Failed', `Error: ${reason}`),
      ];
    case 'ImagePullBackOff':
      return [normal('BackOff', `Back-off pulling image "${image}"`), warning('Failed', `Error: ${reason}`)];
    case 'CrashLoopBackOff':
      return [warning('BackOff', `Back-off restarting failed container ${name} in pod ${fullName(pod)}`)];
    case 'CreateContainerConfigError':
      return [warning('Failed', `Error: ${message}`)];
    default:
      return [];
  }
}

/** A pod as the kubelet's messages name it. */
export const fullName = ({ metadata: { name, namespace, uid } }: Pod): string =>
  `${name}_${namespace}(${uid})`;

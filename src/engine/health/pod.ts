import { annotation, type Health, type KubeObject } from '#base/model';
import { isTrue } from '../annotations.ts';
import { isHook } from '../sync/hooks.ts';
import { conditionOf, degraded, healthy, progressing, unknown } from './verdict.ts';

type Terminated = { exitCode?: number; reason?: string; message?: string };
type ContainerState = { waiting?: { reason?: string; message?: string }; terminated?: Terminated };
type ContainerStatus = {
  name?: string;
  ready?: boolean;
  state?: ContainerState;
  lastState?: ContainerState;
};
type Status = {
  phase?: string;
  message?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
};
type PodView = KubeObject<{ restartPolicy?: string }, Status>;

/** compat engine H-18 */
export function podHealth(object: KubeObject): Health {
  const { spec, status = {} } = object as PodView;
  const lasting = spec?.restartPolicy === 'Always' || ignoresRestartPolicy(object);
  if (lasting) {
    const stuck = waitingMessages(status);
    if (stuck.length > 0) return degraded(stuck.join(', '));
  }
  switch (status.phase) {
    case 'Pending':
      return progressing(status.message);
    case 'Succeeded':
      return healthy(status.message);
    case 'Failed':
      return degraded(failureOf(status));
    case 'Running':
      return lasting ? readinessOf(object, status) : progressing(status.message);
    default:
      return unknown(status.message);
  }
}

const ignoresRestartPolicy = (object: KubeObject): boolean =>
  isTrue(object, annotation.ignoreRestartPolicy) && !isHook(object);

function waitingMessages(status: Status): string[] {
  return (status.containerStatuses ?? []).flatMap(({ state }) => {
    const { reason, message } = state?.waiting ?? {};
    return reason && isStuck(reason) ? [message || reason] : [];
  });
}

const isStuck = (reason: string): boolean =>
  reason.startsWith('Err') || reason.endsWith('Error') || reason.endsWith('BackOff');

function readinessOf(object: KubeObject, status: Status): Health {
  if (conditionOf(object, 'Ready')?.status === 'True') return healthy(status.message);
  const restarted = (status.containerStatuses ?? []).find(({ lastState }) => lastState?.terminated);
  if (!restarted) return progressing(status.message);
  return degraded(status.message || terminationOf(restarted.name, restarted.lastState));
}

function failureOf(status: Status): string {
  if (status.message) return status.message;
  for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const reported = terminationOf(container.name, container.state);
    if (reported) return reported;
  }
  return '';
}

function terminationOf(name: string | undefined, state: ContainerState | undefined): string {
  const ended = state?.terminated;
  if (!ended) return '';
  if (ended.message) return ended.message;
  if (ended.reason === 'OOMKilled') return ended.reason;
  return ended.exitCode ? `container ${name} exited with code ${ended.exitCode}` : '';
}

import type { KubeObject } from '#base/model';
import type { ContainerStatus, Pod } from '../pod/view.ts';

/** What the failure of a pod means for its job. */
export type FailurePolicy = { readonly rules?: readonly Rule[] };

type Action = 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
type ExitCodes = {
  readonly containerName?: string;
  readonly operator?: 'In' | 'NotIn';
  readonly values?: readonly number[];
};
type Rule = {
  readonly action?: Action;
  readonly onExitCodes?: ExitCodes;
  readonly onPodConditions?: readonly { readonly type?: string; readonly status?: string }[];
};

type Judgement = { readonly action: Action; readonly message?: string };

/** compat cluster 5.4: the first rule that matches decides; a failure that matches none counts. */
export function judgeFailure(policy: FailurePolicy | undefined, pod: KubeObject): Judgement {
  for (const [index, { action = 'Count', onExitCodes, onPodConditions = [] }] of (
    policy?.rules ?? []
  ).entries()) {
    const why = onExitCodes ? exitOf(pod as Pod, onExitCodes) : conditionOf(pod as Pod, onPodConditions);
    if (why !== undefined) return { action, message: `${why} matching ${action} rule at index ${index}` };
  }
  return { action: 'Count' };
}

const fullName = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

function exitOf(pod: Pod, { containerName, operator, values = [] }: ExitCodes): string | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const fits = ({ name, state }: ContainerStatus) => {
    const code = state.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  };
  const found = [...containerStatuses, ...initContainerStatuses].find(fits);
  if (!found) return undefined;
  return `Container ${found.name} for pod ${fullName(pod)} failed with exit code ${found.state.terminated?.exitCode}`;
}

function conditionOf(pod: Pod, patterns: NonNullable<Rule['onPodConditions']>): string | undefined {
  const found = pod.status?.conditions?.find((one) =>
    patterns.some(({ type, status = 'True' }) => type === one.type && status === one.status),
  );
  return found && `Pod ${fullName(pod)} has condition ${found.type}`;
}

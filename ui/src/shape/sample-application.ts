import type { Application, ApplicationSpec, ApplicationStatus, OperationState } from '#base/model';

/** An application for tests: healthy, in sync, on a known day. */
export function sampleApplication(
  status: ApplicationStatus = {},
  spec: Partial<ApplicationSpec> = {},
  name = 'payments-api',
): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'shop',
      source: {
        repoURL: 'https://git.example.com/shop/deploy.git',
        path: 'payments',
        targetRevision: 'main',
      },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'payments' },
      ...spec,
    },
    status: {
      sync: { status: 'Synced', revision: commit },
      health: { status: 'Healthy', lastTransitionTime: '2026-03-18T14:02:00Z' },
      operationState: sampleOperation(),
      ...status,
    },
  };
}

export const commit = '3f9c2e1d5b7a8c9e0f1a2b3c4d5e6f7a8b9c0d1e';

export function sampleOperation(state: Partial<OperationState> = {}): OperationState {
  return {
    operation: { sync: { revision: commit }, initiatedBy: { automated: true } },
    phase: 'Succeeded',
    startedAt: '2026-03-18T14:01:00Z',
    finishedAt: '2026-03-18T14:01:30Z',
    syncResult: { revision: commit },
    ...state,
  };
}

/** The same without its end: an operation that runs. */
export function sampleRun(state: Partial<OperationState> = {}): OperationState {
  const { finishedAt: _, ...rest } = sampleOperation({ phase: 'Running', ...state });
  return rest;
}

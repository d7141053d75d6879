import {
  type Application,
  type ApplicationSet,
  type RolloutStep,
  readApplication,
  readApplicationSet,
} from '#base/model';

// Sets and applications for the tests of rollouts.

export const byEnv = (env: string, maxUpdate?: number | string): RolloutStep => ({
  matchExpressions: [{ key: 'env', operator: 'In', values: [env] }],
  ...(maxUpdate === undefined ? {} : { maxUpdate }),
});

export const setOf = (steps: readonly RolloutStep[], more: object = {}): ApplicationSet =>
  readApplicationSet({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: {
      name: 'set',
      namespace: 'argocd',
      uid: 'u1',
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
    },
    spec: {
      generators: [],
      template: {},
      strategy: { type: 'RollingSync', rollingSync: { steps }, ...more },
    },
  });

const owner = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: 'set',
  uid: 'u1',
  controller: true,
};

type More = { readonly metadata?: object; readonly spec?: object; readonly status?: object };

export function application(name: string, env: string, more: More = {}): Application {
  return readApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      ownerReferences: [owner],
      ...(env ? { labels: { env } } : {}),
      ...more.metadata,
    },
    spec: { destination: {}, ...more.spec },
    ...(more.status ? { status: more.status } : {}),
  } as Application);
}

export const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));

import type { StoredRef } from '#embedded/apiserver';
import type { VirtualCluster } from '../virtual-cluster.ts';
import type { Configuration, KnativeRoute, KnativeService, Revision } from './view.ts';

/** What the tests of this folder vary of one Knative Service, `hello`. */
export type ServiceOptions = {
  readonly image?: string;
  readonly traffic?: readonly object[];
  readonly annotations?: object;
  readonly template?: object;
  readonly container?: object;
};

export const helloService = (options: ServiceOptions = {}) => {
  const {
    image = 'ghcr.io/demo/hello:1',
    traffic,
    annotations = {},
    template = {},
    container = {},
  } = options;
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'hello', namespace: 'default', labels: { team: 'blue' }, annotations },
    spec: {
      template: {
        metadata: { annotations: { 'autoscaling.knative.dev/min-scale': '1' }, ...template },
        spec: { containers: [{ image, ...container }] },
      },
      ...(traffic && { traffic }),
    },
  };
};

export const ref = (kind: string, name = 'hello'): StoredRef => ({
  apiVersion: 'serving.knative.dev/v1',
  kind,
  namespace: 'default',
  name,
});

/** The service in a cluster and its children, as they are now. */
export const helloOn = (stage: () => VirtualCluster) => ({
  ksvc: () => stage().read<KnativeService>(ref('Service')),
  route: () => stage().read<KnativeRoute>(ref('Route')),
  configuration: () => stage().read<Configuration>(ref('Configuration')),
  revision: (name: string) => stage().read<Revision>(ref('Revision', name)),
  deploy: (image: string) => {
    const containers = [{ name: 'user-container', image }];
    return stage().patch(ref('Service'), { spec: { template: { spec: { containers } } } });
  },
});

type Conditioned = { status?: { conditions?: readonly { type: string; status: string; reason?: string }[] } };

/** Each condition as `status`, or `status/reason`. */
export const conditionTexts = (object: object): Record<string, string> =>
  Object.fromEntries(
    ((object as Conditioned).status?.conditions ?? []).map(({ type, status, reason }) => [
      type,
      reason ? `${status}/${reason}` : status,
    ]),
  );

import type { JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, fillZeros, inside, insideAlways, steps } from './fill.ts';
import { requestLimits, roundUp, roundUpResources } from './resources.ts';
import { defaultVolume, pullPolicyOf } from './volumes.ts';

const httpGet: DefaultingStep = (handler) =>
  inside(handler, 'httpGet', (get) => fill(get, { path: '/', scheme: 'HTTP' }));

const probe: DefaultingStep = steps(
  (part) =>
    fillZeros(part, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  httpGet,
  (part) => inside(part, 'grpc', (grpc) => ({ ...grpc, service: grpc.service ?? '' })),
);

const lifecycle: DefaultingStep = steps(
  (part) => inside(part, 'postStart', httpGet),
  (part) => inside(part, 'preStop', httpGet),
);

const environment: DefaultingStep = (variable) =>
  inside(variable, 'valueFrom', (source) =>
    inside(source, 'fieldRef', (reference) => fill(reference, { apiVersion: 'v1' })),
  );

const container: DefaultingStep = steps(
  (part) =>
    fill(part, {
      imagePullPolicy: pullPolicyOf(part.image),
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    }),
  (part) => insideAlways(part, 'resources', roundUpResources),
  (part) => each(part, 'ports', (port) => fill(port, { protocol: 'TCP' })),
  (part) => each(part, 'env', environment),
  (part) => inside(part, 'livenessProbe', probe),
  (part) => inside(part, 'readinessProbe', probe),
  (part) => inside(part, 'startupProbe', probe),
  (part) => inside(part, 'lifecycle', lifecycle),
);

/** compat cluster 3.12: the deprecated name of the field is kept in step with the new one. */
function mirrorServiceAccount(spec: JsonObject): JsonObject {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (typeof name !== 'string' || name === '') return spec;
  if (spec.serviceAccountName === name && spec.serviceAccount === name) return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

/** The defaults of pods and templates alike. */
const defaultPodSpec: DefaultingStep = steps(
  (spec) =>
    fill(spec, {
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    }),
  mirrorServiceAccount,
  (spec) => each(spec, 'volumes', defaultVolume),
  (spec) => each(spec, 'containers', container),
  (spec) => each(spec, 'initContainers', container),
  (spec) => each(spec, 'ephemeralContainers', container),
  (spec) => inside(spec, 'resources', roundUpResources),
  roundUp('overhead'),
);

/** A pod template, wherever it stands. */
export const defaultTemplate: DefaultingStep = (template) => insideAlways(template, 'spec', defaultPodSpec);

const hostPorts: DefaultingStep = (part) =>
  each(part, 'ports', (port) => fillZeros(port, { hostPort: Number(port.containerPort ?? 0) }));

const containerLists = ['containers', 'initContainers'];

const eachContainer =
  (step: DefaultingStep): DefaultingStep =>
  (spec) =>
    containerLists.reduce((state, name) => each(state, name, step), spec);

/** The defaults of pods only. */
const podOnly: DefaultingStep = steps(
  (spec) => fill(spec, { enableServiceLinks: true }),
  eachContainer((part) => inside(part, 'resources', requestLimits)),
  (spec) => (spec.hostNetwork === true ? eachContainer(hostPorts)(spec) : spec),
);

export const defaultPod: DefaultingStep = (pod) => insideAlways(pod, 'spec', steps(podOnly, defaultPodSpec));

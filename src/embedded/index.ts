/**
 * embedded: a Kubernetes-compatible cluster inside the process, for trying, rehearsing and tests.
 *
 * `apiserver` serves the Kubernetes API, `controllers` make workloads and Knative become ready or fail, `cel`
 * evaluates the expressions of definitions and policies. The production program needs none of it: `main` loads
 * this door only when the embedded cluster is started, and no other room imports it outside tests.
 *
 * docs/embedded-cluster.md lists the unsupported features; they are refused, not imitated halfway (product
 * decision 17).
 */
export {
  type AdmissionHook,
  type ClusterOptions,
  chaos,
  createCluster,
  type EmbeddedCluster,
  type EmbeddedListener,
  type FaultRule,
  listen,
  type Objects,
} from '#embedded/apiserver';
export {
  admitKnative,
  createPodLogs,
  createSimulation,
  installDefinitions,
  runSimulation,
} from '#embedded/controllers';
export { type EmbeddedConfig, openEmbedded } from './open.ts';

import { setMaxListeners } from 'node:events';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import {
  actWithoutPeer,
  createEventRecorder,
  RolloutInformers,
  rolloutController,
} from '#control/controllers';
import { createKubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';

/** What the process has used so far: bytes of its heap after a collection, microseconds of processor. */
export type Usage = { readonly heap: number; readonly cpu: number };

setMaxListeners(0);
const [kubeconfig = ''] = process.argv.slice(2);
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const access = await loadKubeconfig(ctx, { files: [kubeconfig] });
const kube = createKubeClient({ transport: networkTransport(access, { log: silent, environment: {} }) });
const informers = new RolloutInformers(kube);
const events = createEventRecorder({ kube, component: 'rollouts-controller' });

process.on('message', (what) => {
  // the second time collects what finalizers of the first have released
  if (what === 'collect') for (let times = 0; times < 2; times++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send?.({ heap: heapUsed + external, cpu: user + system } satisfies Usage);
});
process.on('disconnect', () => process.exit());
// as on a real cluster: beside the controller runs the check for one of Argo Rollouts
const check = {
  ...{ kube, identity: 'fairlead_bench', leaseName: 'argo-rollouts-controller-lock', events },
  rollouts: () => informers.rollouts.list(),
};
const deps = { kube, informers, events, yieldsToPeer: true };
await actWithoutPeer(ctx, check, (acting) =>
  runAll(acting, [(inner) => informers.run(inner), rolloutController(deps)]),
);

// A real Kubernetes control plane for tests, of programs built from Go modules; no container engine is needed.
//   node tools/kubernetes/cluster.js build                    builds what the cache lacks
//   node tools/kubernetes/cluster.js start [folder]           starts one; prints how to reach it
//   node tools/kubernetes/cluster.js stop <folder>            stops it and removes the folder
//   node tools/kubernetes/cluster.js run [--knative] -- …     runs a command against a cluster of its own
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { builtKnative, builtKubernetes } from './build.js';
import { controlPlanePrograms, startControlPlane } from './control-plane.js';
import { knativePrograms, startKnative } from './knative.js';
import { enclose, isEnclosed } from './network.js';
import { programsOf, stopPrograms } from './processes.js';

const [verb, ...rest] = process.argv.slice(2);

try {
  if (verb === 'build') console.log(`${builtKubernetes()}\n${builtKnative()}`);
  else if (verb === 'start') await start(rest[0]);
  else if (verb === 'stop' && rest[0]) await stopAgain(resolve(rest[0]));
  else if (verb === 'run' && rest.includes('--')) process.exitCode = await run(rest);
  else throw new Error('say build, start [folder], stop <folder> or run [--knative] -- command');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function start(wish) {
  const folder = wish ? resolve(wish) : newFolder();
  await cleanedUpAfter(folder, () => startControlPlane(folder, builtKubernetes()), { always: false });
  console.log(`KUBECONFIG=${join(folder, 'kubeconfig')}`);
  console.log(`stop it with: node tools/kubernetes/cluster.js stop ${folder}`);
}

/** The exit code of the command, which finds the cluster in KUBECONFIG and FAIRLEAD_TEST_KUBECONFIG. */
async function run(args) {
  const withKnative = args.includes('--knative');
  const binaries = builtKubernetes();
  const knative = withKnative ? builtKnative() : undefined;
  // Knative's programs listen everywhere; they, and whoever speaks to them, get a network with nothing in it
  if (withKnative && !isEnclosed()) return enclose(process.argv.slice(1));
  const folder = newFolder();
  return cleanedUpAfter(folder, async (stopping) => {
    const kubeconfig = await startControlPlane(folder, binaries);
    if (knative) await startKnative(folder, knative, binaries);
    if (stopping.aborted) return 130;
    return command(args.slice(args.indexOf('--') + 1), kubeconfig, stopping);
  });
}

function newFolder() {
  return realpathSync(mkdtempSync(join(tmpdir(), 'fairlead-kubernetes-')));
}

/** Whatever happens, also an interrupt, nothing keeps running and nothing is left behind. */
async function cleanedUpAfter(folder, work, { always = true } = {}) {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort());
  let isDone = false;
  try {
    const result = await work(interrupted.signal);
    isDone = true;
    return result;
  } finally {
    if (always || !isDone || interrupted.signal.aborted) await stop(folder);
  }
}

async function stopAgain(folder) {
  if (programsOf(folder).length === 0) throw new Error(`no cluster was started in ${folder}`);
  await stop(realpathSync(folder));
}

async function stop(folder) {
  await stopPrograms(folder, [...knativePrograms, ...controlPlanePrograms]);
  rmSync(folder, { recursive: true, force: true });
}

function command([program, ...args], kubeconfig, stopping) {
  const env = { ...process.env, KUBECONFIG: kubeconfig, FAIRLEAD_TEST_KUBECONFIG: kubeconfig };
  const child = spawn(program, args, { stdio: 'inherit', env });
  stopping.addEventListener('abort', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 130));
  });
}

// Real Kubernetes and real Knative Serving, built from their Go modules into the user's cache folder, once per version.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const kubernetes = '1.36.3';
const etcd = '3.6.8';
const kwok = '0.8.0';
const knative = '0.50.0';
const knativeLibraries = 'v0.0.0-20260727151759-521cb33b33dd'; // what Serving 0.50 was released with

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead');
const settings = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false -trimpath' };

/** The folder with etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok and stages.yaml. */
export function builtKubernetes() {
  return built(`kubernetes-${kubernetes}`, '8 minutes and 3 GB of Go cache', buildKubernetes);
}

/** The folder with kn-controller, kn-webhook, kn-autoscaler, crds.yaml, core.yaml and webhooks.yaml. */
export function builtKnative() {
  return built(`knative-${knative}`, '4 minutes', buildKnative);
}

function built(name, cost, build) {
  const folder = join(cache, name);
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return folder;
  checkGo(name);
  console.error(`building ${name} into ${folder}; this is done once and takes about ${cost} on two cores`);
  mkdirSync(join(folder, 'src'), { recursive: true });
  build(folder, goIn(join(folder, 'src')));
  writeFileSync(mark, '');
  return folder;
}

/** Throws, saying what to install, when there is no Go that can build these. */
function checkGo(what) {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  if (Number(major) > 1 || Number(minor) >= 26) return;
  const found = major ? `go ${major}.${minor} is too old` : 'there is no go on the PATH';
  throw new Error(`${what} is built with Go 1.26 or later, and ${found}: install it from https://go.dev/dl`);
}

/** Go, run in one folder: `go(...)` shows what it does, `go.said(...)` answers what it printed. */
function goIn(cwd) {
  const env = { ...process.env, ...settings };
  const go = (...args) => {
    execFileSync('go', args, { cwd, env, stdio: ['ignore', 2, 2] });
  };
  go.said = (...args) => execFileSync('go', args, { cwd, env, encoding: 'utf8' }).trim();
  return go;
}

function buildKubernetes(folder, go) {
  const commands = 'k8s.io/kubernetes/cmd';
  const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  if (!existsSync(join(folder, 'src/go.sum'))) {
    writeFileSync(join(folder, 'src/go.mod'), moduleOfKubernetes(go));
    for (const program of programs) go('get', '-tool', `${commands}/${program}@v${kubernetes}`);
    go('get', '-tool', `go.etcd.io/etcd/server/v3@v${etcd}`);
    go('get', '-tool', `sigs.k8s.io/kwok/cmd/kwok@v${kwok}`);
    go('mod', 'tidy');
  }
  // a server that does not know its version calls itself v0.0.0, and Knative refuses that
  const told = Object.entries({
    'k8s.io/component-base/version.gitVersion': `v${kubernetes}`,
    'k8s.io/component-base/version.gitMajor': kubernetes.split('.')[0],
    'k8s.io/component-base/version.gitMinor': kubernetes.split('.')[1],
    'k8s.io/component-base/version.gitTreeState': 'clean',
    'sigs.k8s.io/kwok/pkg/consts.Version': `v${kwok}`,
  });
  const flags = ['-s -w', ...told.map(([name, value]) => `-X ${name}=${value}`)].join(' ');
  const build = (name, path) => {
    console.error(`building ${name} …`);
    go('build', '-ldflags', flags, '-o', join(folder, name), path);
  };
  for (const program of programs) build(program, `${commands}/${program}`);
  build('kwok', 'sigs.k8s.io/kwok/cmd/kwok');
  build('etcd', 'go.etcd.io/etcd/server/v3');
  // kwok's own stages: nodes and pods become ready, the pods of Jobs complete
  const stages = join(go.said('list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'), 'kustomize/stage');
  const wanted = [
    'node/fast/node-initialize',
    'node/heartbeat-with-lease/node-heartbeat-with-lease',
    'pod/fast/pod-ready',
    'pod/fast/pod-complete',
    'pod/fast/pod-delete',
  ];
  writeFileSync(join(folder, 'stages.yaml'), joined(wanted.map((name) => join(stages, `${name}.yaml`))));
}

/** Kubernetes' own module points its libraries at folders of its repository; here at their published versions. */
function moduleOfKubernetes(go) {
  const { GoMod } = JSON.parse(go.said('mod', 'download', '-json', `k8s.io/kubernetes@v${kubernetes}`));
  const lines = readFileSync(GoMod, 'utf8').split('\n');
  const libraries = lines.flatMap((line) => /^\t(k8s\.io\/\S+) => \.\/staging/.exec(line)?.[1] ?? []);
  const version = `v0.${kubernetes.split('.').slice(1).join('.')}`;
  return [
    'module control-plane',
    ...lines.filter((line) => /^(?:go|godebug) /.test(line)),
    `require k8s.io/kubernetes v${kubernetes}`,
    ...libraries.map((library) => `replace ${library} => ${library} ${version}`),
    '',
  ].join('\n');
}

/** Serving's controller as upstream puts it together, but for its health probes: they sit on the autoscaler's port. */
const knativeController = `package main

import (
	"knative.dev/pkg/injection"
	"knative.dev/pkg/injection/sharedmain"
	"knative.dev/pkg/signals"
	"knative.dev/serving/pkg/reconciler/configuration"
	"knative.dev/serving/pkg/reconciler/domainmapping"
	"knative.dev/serving/pkg/reconciler/gc"
	"knative.dev/serving/pkg/reconciler/labeler"
	"knative.dev/serving/pkg/reconciler/nscert"
	"knative.dev/serving/pkg/reconciler/revision"
	"knative.dev/serving/pkg/reconciler/route"
	"knative.dev/serving/pkg/reconciler/serverlessservice"
	"knative.dev/serving/pkg/reconciler/service"
)

func main() {
	quiet := sharedmain.WithHealthProbesDisabled(signals.NewContext())
	sharedmain.MainWithConfig(quiet, "controller", injection.ParseAndGetRESTConfigOrDie(),
		service.NewController, configuration.NewController, revision.NewController,
		route.NewController, labeler.NewController, serverlessservice.NewController,
		gc.NewController, nscert.NewController, domainmapping.NewController)
}
`;

function buildKnative(folder, go) {
  const source = join(folder, 'src');
  mkdirSync(join(source, 'controller'), { recursive: true });
  writeFileSync(join(source, 'controller/main.go'), knativeController);
  if (!existsSync(join(source, 'go.sum'))) {
    writeFileSync(join(source, 'go.mod'), `module knative-programs\ngo 1.25.0\n`);
    for (const program of ['webhook', 'autoscaler']) {
      go('get', '-tool', `knative.dev/serving/cmd/${program}@v${knative}`);
    }
    go('get', `knative.dev/pkg@${knativeLibraries}`);
    go('mod', 'tidy');
  }
  const build = (name, path) => {
    console.error(`building ${name} …`);
    go('build', '-ldflags', '-s -w', '-o', join(folder, name), path);
  };
  build('kn-controller', './controller');
  build('kn-webhook', 'knative.dev/serving/cmd/webhook');
  build('kn-autoscaler', 'knative.dev/serving/cmd/autoscaler');
  const folderOf = (module) =>
    join(go.said('list', '-m', '-f', '{{.Dir}}', `knative.dev/${module}`), 'config');
  const manifests = {
    serving: folderOf('serving'),
    networking: folderOf('networking'),
    caching: folderOf('caching'),
  };
  for (const [name, patterns] of Object.entries(knativeManifests)) {
    writeFileSync(join(folder, name), joined(patterns.flatMap((pattern) => matching(manifests, pattern))));
  }
}

/** Which of Knative's manifests are wanted, in the order they are applied; `/*` is every file of a folder. */
const knativeManifests = {
  'crds.yaml': [
    'serving/core/300-resources/*',
    'networking/certificate.yaml',
    'networking/domain-claim.yaml',
    'networking/ingress.yaml',
    'networking/serverlessservice.yaml',
    'caching/image.yaml',
  ],
  'core.yaml': [
    'serving/core/100-namespace.yaml',
    'serving/core/200-serviceaccount.yaml',
    'serving/core/200-roles/*',
    'serving/core/configmaps/*',
    'networking/config-network.yaml',
    'serving/core/webhooks/secret.yaml',
  ],
  'webhooks.yaml': [
    'serving/core/webhooks/defaulting.yaml',
    'serving/core/webhooks/resource-validation.yaml',
    'serving/core/webhooks/configmap-validation.yaml',
  ],
};

function matching(folders, pattern) {
  const [module, ...rest] = pattern.split('/');
  const path = join(folders[module], ...rest);
  if (!pattern.endsWith('/*')) return [path];
  const folder = path.slice(0, -2);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => join(folder, name));
}

const joined = (paths) => paths.map((path) => `---\n${readFileSync(path, 'utf8').trimEnd()}\n`).join('');

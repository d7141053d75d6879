import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/longest-first.js';
import { pure } from './tools/rooms.js';
import { Slowest } from './tools/slowest.js';

// rooms whose tests start programs, worker processes or whole clusters; thinking is tested without them
const edges = [
  'platform/exec',
  'platform/store',
  'platform/workers',
  'lang/lua',
  'sources/repositories',
  'sources/manifests',
  'control/scripts',
  'embedded/controllers',
].map((room) => `src/${room}/**/*.test.ts`);
// the cases that run unchanged against any cluster; no program of ours is built for them
const conformance = ['test/conformance/cases.test.ts', 'test/conformance/kubectl-transcripts.test.ts'];
const setupFiles = ['test/setup.ts'];
// what comes about is waited for: the second that is the default fails tests of a busy machine
const patience = { expect: { poll: { timeout: 15_000 } } };
const common = { setupFiles, ...patience };
// Vitest leaves one core to itself; it has little to do once the sources are loaded. A real cluster is used by one file at a time.
// biome-ignore lint/style/noProcessEnv: the environment says which cluster the tests use
const isReal = Boolean(process.env.FAIRLEAD_TEST_KUBECONFIG);
const maxWorkers = isReal ? 1 : Math.min(8, Math.max(2, availableParallelism()));
// what starts programs waits for them a third of its time, so one file more than there are cores keeps the cores busy
const maxPrograms = isReal ? 1 : maxWorkers + 1;
// these share one queue: a core is never idle while a project's last file runs
const withPrograms = { maxWorkers: maxPrograms, sequence: { groupOrder: 1 } };

// the real argocd command line; npm run test:argocd builds it and says where it is
// biome-ignore lint/style/noProcessEnv: the environment says where the program is
const isWithArgocd = Boolean(process.env.FAIRLEAD_TEST_ARGOCD);
const argocd = {
  test: {
    name: 'argocd',
    include: ['test/argocd/**/*.test.ts'],
    ...common,
    maxWorkers: 1,
    globalSetup: ['test/build-once.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

// the real `kubectl argo rollouts`; npm run test:rollouts builds it and says where it is
// biome-ignore lint/style/noProcessEnv: the environment says where the program is
const isWithRollouts = Boolean(process.env.FAIRLEAD_TEST_ROLLOUTS);
const rollouts = { test: { ...argocd.test, name: 'rollouts', include: ['test/rollouts/**/*.test.ts'] } };

export default defineConfig({
  test: {
    reporters: ['default', new Slowest()],
    // the four projects, and the next run, load a source as it was transformed once
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    sequence: { sequencer: LongestFirst },
    // npm run coverage: thinking is tested whole; edges are tested by what they do to real programs
    coverage: {
      provider: 'v8',
      include: pure.map((room) => `src/${room}/**/*.ts`),
      exclude: ['**/*.test.ts', '**/testdata/**'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
      thresholds: { lines: 95 },
    },
    // no file keeps state for the next, and loading the house once per worker saves up to two seconds a file
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.ts', 'ui/src/**/*.test.{ts,tsx}'],
          exclude: edges,
          ...common,
          maxWorkers,
          sequence: { groupOrder: 0 },
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'edges',
          isolate: false,
          include: edges,
          ...common,
          ...withPrograms,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'conformance',
          include: conformance,
          ...common,
          ...withPrograms,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'system',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...conformance, 'test/argocd/**', 'test/rollouts/**'],
          ...common,
          ...withPrograms,
          globalSetup: ['test/build-once.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      ...(isWithArgocd ? [argocd] : []),
      ...(isWithRollouts ? [rollouts] : []),
    ],
  },
});

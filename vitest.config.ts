import { defineConfig } from 'vitest/config';
import { pure } from './tools/rooms.js';

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

export default defineConfig({
  test: {
    // npm run coverage: thinking is tested whole; edges are tested by what they do to real programs
    coverage: {
      provider: 'v8',
      include: pure.map((room) => `src/${room}/**/*.ts`),
      exclude: ['**/*.test.ts', '**/testdata/**'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'node_modules/.cache/coverage',
      thresholds: { lines: 95 },
    },
    projects: [
      {
        test: {
          name: 'unit',
          // nothing here keeps state between files, and loading the house once per worker is most of the time
          isolate: false,
          include: ['src/**/*.test.ts', 'ui/src/**/*.test.{ts,tsx}'],
          exclude: edges,
          setupFiles,
          sequence: { groupOrder: 0 },
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'edges',
          include: edges,
          setupFiles,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'conformance',
          include: conformance,
          setupFiles,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: conformance,
          setupFiles,
          sequence: { groupOrder: 3 },
          globalSetup: ['test/build-once.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // each file starts programs of its own; two cores carry two at a time
          maxWorkers: 2,
        },
      },
    ],
  },
});

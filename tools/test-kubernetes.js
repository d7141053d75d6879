// npm run test:kubernetes, npm run test:knative: what we test against the embedded cluster, against the real thing. The
// cluster is started, and stopped again, by tools/kubernetes/cluster.js, which runs this with its kubeconfig.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const withKnative = process.argv.includes('--knative');
// an installation of everything begins on a cluster that has nothing of ours
const isInstallation = process.argv.includes('--installation');
if (!process.env.FAIRLEAD_TEST_KUBECONFIG) {
  console.error('no cluster: run npm run test:kubernetes or npm run test:knative');
  process.exit(1);
}

// A dozen programs of others share the machine with the tests: a case that fails is played once more, in a new namespace. One that
// then passes is named at the end; one that fails twice fails the run. The suites that are a control plane are never repeated.
const reporters = ['--reporter=default', '--reporter=./tools/flaky-reporter.js'];
const conformance = ['--project', 'conformance', '--retry=1', ...reporters];
const folder = mkdtempSync(join(tmpdir(), 'fairlead-flaky-'));
const flakyFile = join(folder, 'names');
writeFileSync(flakyFile, '');
const suites = isInstallation
  ? [[['--project', 'system', 'test/e2e/installation.test.ts'], {}]]
  : withKnative
    ? [
        [conformance, { FAIRLEAD_TEST_NEEDS: 'knative' }],
        // one after the other: each is the control plane of the same cluster
        [['--project', 'system', 'test/e2e/knative.test.ts'], {}],
        [['--project', 'system', 'test/e2e/knative-failures.test.ts'], {}],
        [['--project', 'system', 'test/e2e/knative-rollouts.test.ts'], {}],
        [['--project', 'system', 'test/e2e/knative-undo.test.ts'], {}],
        [['--project', 'system', 'test/e2e/knative-property.test.ts'], {}],
        [['--project', 'system', 'test/e2e/traffic.test.ts'], {}],
        [['--project', 'system', 'test/e2e/recipe.test.ts'], {}],
        [['--project', 'system', 'test/e2e/defaulted.test.ts'], {}],
      ]
    : [
        [conformance, {}],
        // one after the other: each is the control plane of the same cluster
        [['--project', 'system', 'test/seeds/definitions.test.ts'], {}],
        [['--project', 'system', 'test/e2e/rollout-warnings.test.ts'], {}],
        [['--project', 'system', 'test/e2e/loop.test.ts'], {}],
        [['--project', 'system', 'test/e2e/seeds.test.ts'], {}],
        [['--project', 'system', 'test/e2e/application-sets.test.ts'], {}],
        [['--project', 'system', 'test/e2e/defaulted.test.ts'], {}],
      ];

const results = suites.map(([args, environment]) => {
  const env = { ...process.env, FAIRLEAD_TEST_FLAKY: flakyFile, ...environment };
  const { status } = spawnSync(process.execPath, ['node_modules/.bin/vitest', 'run', ...args], {
    env,
    stdio: 'inherit',
  });
  return status === 0;
});
const flaky = readFileSync(flakyFile, 'utf8').split('\n').filter(Boolean);
rmSync(folder, { recursive: true });
for (const name of flaky) console.log(`flaky: ${name}`);
process.exit(results.every(Boolean) ? 0 : 1);

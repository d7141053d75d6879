// npm run test:kubernetes, npm run test:knative: what we test against the embedded cluster, against the real thing. The
// cluster is started, and stopped again, by tools/kubernetes/cluster.js, which runs this with its kubeconfig.
import { spawnSync } from 'node:child_process';

const withKnative = process.argv.includes('--knative');
if (!process.env.FAIRLEAD_TEST_KUBECONFIG) {
  console.error('no cluster: run npm run test:kubernetes or npm run test:knative');
  process.exit(1);
}

// a dozen programs of others share the machine with the tests: a case that fails is played once more, in a new namespace
const conformance = ['--project', 'conformance', '--retry=1'];
const suites = withKnative
  ? [
      [conformance, { FAIRLEAD_TEST_NEEDS: 'knative' }],
      // one after the other: each is the control plane of the same cluster
      [['--project', 'system', 'test/e2e/knative.test.ts'], {}],
      [['--project', 'system', 'test/e2e/recipe.test.ts'], {}],
      [['--project', 'system', 'test/e2e/defaulted.test.ts'], {}],
    ]
  : [
      [conformance, {}],
      // one after the other: each is the control plane of the same cluster
      [['--project', 'system', 'test/seeds/definitions.test.ts'], {}],
      [['--project', 'system', 'test/e2e/loop.test.ts'], {}],
      [['--project', 'system', 'test/e2e/seeds.test.ts'], {}],
      [['--project', 'system', 'test/e2e/defaulted.test.ts'], {}],
    ];

const results = suites.map(([args, environment]) => {
  const env = { ...process.env, ...environment };
  const { status } = spawnSync(process.execPath, ['node_modules/.bin/vitest', 'run', ...args], {
    env,
    stdio: 'inherit',
  });
  return status === 0;
});
process.exit(results.every(Boolean) ? 0 : 1);

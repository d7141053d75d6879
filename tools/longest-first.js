// Which test file is started first. Vitest knows how long each took on this machine the last time; on a fresh clone it knows only
// their sizes, and a small file that takes a minute would be started last, with every other core idle until it ends.
import { BaseSequencer } from 'vitest/node';

const long = [
  'test/conformance/kubectl-transcripts.test.ts',
  'test/fault/kills.test.ts',
  'test/conformance/cases.test.ts',
  'test/attack/29-killed-anywhere.test.ts',
  'test/e2e/installation.test.ts',
  'test/e2e/seeds.test.ts',
  'test/docs/guides.test.ts',
  'test/notify/undelivered.test.ts',
  'test/attack/18-application-sets.test.ts',
  'test/attack/34-disk-and-size.test.ts',
  'test/e2e/page-journey.test.ts',
  'test/fault/memory.test.ts',
  'src/platform/store/lock.test.ts',
  'test/fault/pushes.test.ts',
  'test/house/planted.test.ts',
];

const rank = ({ moduleId }) => {
  const at = long.findIndex((path) => moduleId.endsWith(path));
  return at < 0 ? long.length : at;
};

/** The long ones first within their group, the others as Vitest orders them. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const order = (spec) => spec.project.config.sequence.groupOrder;
    return (await super.sort(files)).sort((a, b) => order(a) - order(b) || rank(a) - rank(b));
  }
}

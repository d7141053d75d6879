// A reporter for vitest: appends the name of each test that failed and then passed to the file FAIRLEAD_TEST_FLAKY, a name per line.
import { appendFileSync } from 'node:fs';

export default class FlakyReporter {
  onTestRunEnd(modules) {
    const file = process.env.FAIRLEAD_TEST_FLAKY;
    if (!file) return;
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky) appendFileSync(file, `${test.fullName}\n`);
  }
}

// A reporter for vitest: appends each test that failed and then passed to the file FAIRLEAD_TEST_FLAKY, a line per test: its name, and what
// failed.
import { appendFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

export default class FlakyReporter {
  onTestRunEnd(modules) {
    const file = process.env.FAIRLEAD_TEST_FLAKY;
    if (!file) return;
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky) appendFileSync(file, `${test.fullName}: ${causeOf(test.result())}\n`);
  }
}

/** The difference that an assertion found says more than its message. */
function causeOf({ errors = [] }) {
  const [error] = errors;
  if (!error) return 'no error was kept';
  const text = stripVTControlCharacters([error.message, error.diff].filter(Boolean).join('; '));
  return text.replace(/\s+/g, ' ').slice(0, 1000);
}

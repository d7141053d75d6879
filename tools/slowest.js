// The twenty test files that took longest, printed at the end of a run: what to improve first when `npm test` becomes slow.
const most = 20;
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`.padStart(8);

/** What Vitest calls a reporter. A file's time is that of its imports, hooks and tests. */
export class Slowest {
  onTestRunEnd(modules) {
    if (modules.length <= most) return;
    const files = modules.map((module) => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      const tests = [...module.children.allTests()].map((test) => ({
        name: test.name,
        ms: test.diagnostic()?.duration ?? 0,
      }));
      const [longest] = tests.sort((a, b) => b.ms - a.ms);
      return { path: module.relativeModuleId, ms: collectDuration + setupDuration + duration, longest };
    });
    const slowest = files.sort((a, b) => b.ms - a.ms).slice(0, most);
    const total = files.reduce((sum, { ms }) => sum + ms, 0);
    console.log(
      `\n The slowest of ${files.length} test files (${seconds(total).trim()} in all, on every core together):`,
    );
    for (const { path, ms, longest } of slowest) {
      const of = longest ? `, of which${seconds(longest.ms)}: ${longest.name.slice(0, 80)}` : '';
      console.log(`${seconds(ms)}  ${path}${of}`);
    }
  }
}

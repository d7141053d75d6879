// Commit subjects: `type(room): imperative summary`, at most 72 characters, no final period. With --message FILE for one message (the
// commit-msg hook), otherwise for every commit since the one from which the rule holds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The last commit before the rule. */
const since = '23b55783a9c8ab910e19d1a83f8061b890dc9460';
const form =
  /^(?:feat|fix|perf|refactor|test|docs|build|ci|chore|revert)(?:\([a-z0-9/,-]+\))?!?: [^A-Z\s].*[^.\s]$/;

const problemOf = (subject) => {
  if (subject.length > 72) return `has ${subject.length} characters, at most 72`;
  return form.test(subject)
    ? undefined
    : 'wants the form  type(room): lower-case summary  without a final period';
};

function subjects() {
  const file = process.argv[process.argv.indexOf('--message') + 1];
  if (process.argv.includes('--message')) return [readFileSync(file, 'utf8').split('\n')[0]];
  const git = (...args) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return git('log', '--no-merges', '--format=%s', `${since}..HEAD`).split('\n').filter(Boolean);
  } catch {
    console.log(
      'commit subjects are not checked: this clone does not reach back to the first commit of the rule',
    );
    return [];
  }
}

const wrong = subjects().flatMap((subject) => {
  const problem = problemOf(subject);
  return problem ? [`"${subject}" ${problem}`] : [];
});
for (const line of wrong) console.error(line);
process.exit(wrong.length > 0 ? 1 : 0);

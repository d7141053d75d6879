import { expect, test } from 'vitest';
import { run, runLine } from './shell.ts';

const view = {
  env: { COLOUR: 'blue' },
  files: new Map([
    ['/etc/conf/a', Buffer.from('1')],
    ['/etc/conf/sub/b', Buffer.from('2')],
  ]),
  hostname: 'p',
};
const out = (line: string) => String(runLine(view, line).stdout);

test('a line is words with quotes and variables, and commands one after another', () => {
  expect(out(`echo "$COLOUR  x" '$COLOUR' \${COLOUR}s; hostname`)).toBe('blue  x $COLOUR blues\np\n');
  expect(out('false && echo no')).toBe('');
  expect(runLine(view, 'echo a; exit 7; echo b')).toMatchObject({ code: 7, stdout: Buffer.from('a\n') });
});

test('files are read, listed and packed; what is not there is told as the real programs tell it', () => {
  expect(out('cat /etc/conf/a /etc/conf/sub/b')).toBe('12');
  expect(out('ls /etc/conf')).toBe('a\nsub\n');
  expect(runLine(view, 'cat /nope')).toMatchObject({
    code: 1,
    stderr: 'cat: /nope: No such file or directory\n',
  });
  const { stdout } = run(view, ['tar', 'cf', '-', '/etc/conf']);
  expect([stdout.length % 512, String(stdout).includes('etc/conf/sub/b')]).toEqual([0, true]);
});

test('a program that nobody simulates says so', () => {
  expect(run(view, ['/usr/bin/python3', '-V'])).toMatchObject({ code: 127 });
  expect(run(view, ['constructor'])).toMatchObject({ code: 127 });
  expect(run(view, ['sh', '-c', 'exit 300'])).toMatchObject({ code: 44 });
});

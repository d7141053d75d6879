import { expect, test } from 'vitest';
import { Terminal } from './terminal.ts';

function typed(keys: string) {
  let shown = '';
  const run = (line: string) => ({ stdout: `ran ${line}\n`, stderr: '', code: line === 'exit' ? 3 : 0 });
  const terminal = new Terminal(run, (text) => {
    shown += text;
  });
  const isOver = [...keys].some((key) => terminal.press(key));
  return { shown, isOver, code: terminal.ended.code };
}

test.each([
  ['a line is echoed and run', 'ls\r', '$ ls\r\nran ls\r\n$ ', false],
  ['a typo is erased, and nothing before it', 'x\x7f\x7fls\r', '$ x\b \bls\r\nran ls\r\n$ ', false],
  ['exit ends it', 'exit\r', '$ exit\r\nran exit\r\n', true],
  ['Ctrl-D ends it on an empty line', '\x04', '$ ', true],
  ['Ctrl-D does nothing in a line', 'ls\x04', '$ ls', false],
  ['other keys show nothing', '\x1b\x03', '$ ', false],
])('%s', (_what, keys, shown, isOver) => {
  expect(typed(keys)).toMatchObject({ shown, isOver });
});

test('the code is that of the last command', () => {
  expect(typed('ls\rexit\r').code).toBe(3);
});

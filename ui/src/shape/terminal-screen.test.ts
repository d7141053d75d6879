import { expect, test } from 'vitest';
import { keyText, TerminalScreen } from './terminal-screen.ts';

function shown(...texts: string[]): string[] {
  const screen = new TerminalScreen({ rows: 4, columns: 10 });
  for (const text of texts) screen.write(text);
  return [...screen.rows];
}

test.each<[string, string[], string[]]>([
  ['lines', ['a\r\nb'], ['a', 'b']],
  ['a line that is longer than the screen', ['0123456789ab'], ['0123456789', 'ab']],
  ['a character that is erased', ['ab\b \b'], ['a ']],
  ['a prompt that is written again', ['$ ls\r\x1b[K$ '], ['$ ']],
  ['colours, which are left out', ['\x1b[31mred\x1b[0m'], ['red']],
  ['a title, which is left out', ['\x1b]0;root@web\x07$ '], ['$ ']],
  ['a sequence in two pieces', ['a\x1b[', '2Cb'], ['a  b']],
  ['a cursor that is placed', ['\x1b[2;3Hx'], ['', '  x']],
  ['a screen that is cleared', ['a\r\nb\x1b[2J\x1b[Hc'], ['c', '']],
  ['an insertion and a deletion', ['abc\x1b[3D\x1b[@x\x1b[P'], ['xbc']],
  ['tabs', ['a\tb'], ['a       b']],
  ['an unknown sequence', ['\x1b[99;99zok'], ['ok']],
])('%s', (_what, texts, rows) => {
  expect(shown(...texts)).toEqual(rows);
});

test('what scrolled away stays, up to a limit, and is not written over', () => {
  const screen = new TerminalScreen({ rows: 2, columns: 10 });
  screen.write('a\r\nb\r\nc\x1b[Hx');
  expect(screen.rows).toEqual(['a', 'x', 'c']);
  screen.write('\n'.repeat(5_000));
  expect(screen.rows.length).toBeLessThanOrEqual(2_000);
});

test('a sequence that never ends does not stop the rest', () => {
  const screen = new TerminalScreen({ rows: 2, columns: 2_000 });
  screen.write(`\x1b]0;${'x'.repeat(300)}`);
  screen.write('\r\nok');
  expect(screen.rows.at(-1)).toBe('ok');
});

const plain = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };

test.each<[string, Partial<typeof plain>, string | undefined]>([
  ['a', {}, 'a'],
  ['A', { shiftKey: true }, 'A'],
  ['Enter', {}, '\r'],
  ['Backspace', {}, '\x7f'],
  ['ArrowUp', {}, '\x1b[A'],
  ['c', { ctrlKey: true }, '\x03'],
  ['[', { ctrlKey: true }, '\x1b'],
  ['b', { altKey: true }, '\x1bb'],
  ['c', { metaKey: true }, undefined],
  ['V', { ctrlKey: true, shiftKey: true }, undefined],
  ['Tab', {}, '\t'],
  ['Tab', { shiftKey: true }, undefined],
  ['F5', {}, undefined],
  ['Shift', { shiftKey: true }, undefined],
])('the key %s with %j', (key, held, text) => {
  expect(keyText({ ...plain, ...held, key })).toBe(text);
});

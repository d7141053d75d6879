import { expect, test } from 'vitest';
import { shellWords } from './shell-words.ts';

test.each([
  ['', []],
  ['--grpc-web', ['--grpc-web']],
  [" --header 'x-a: b c'\t--server=h:1 ", ['--header', 'x-a: b c', '--server=h:1']],
  ['--header "say \\"hi\\"" a\\ b', ['--header', 'say "hi"', 'a b']],
  ["--server ''", ['--server', '']],
  ['--header "open', ['--header', 'open']],
])('%j is split as a shell does', (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../git-repository.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
/** What the packages of zsh and fish would install; npm run test:shells downloads them. */
const { FAIRLEAD_TEST_SHELLS: shells } = process.env;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await temporaryFolder();
  mkdirSync(join(folder.path, 'bin'));
  const command = `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`;
  writeFileSync(join(folder.path, 'bin/fairlead'), command, { mode: 0o755 });
  env = { PATH: `${folder.path}/bin:${process.env.PATH}`, HOME: folder.path };
});
afterAll(() => folder?.remove());

// The script of `fairlead completion bash`, sourced by a real bash, which asks the program for the words as a user types them.
test('bash completes commands, flags and formats', async () => {
  const script = `
    source <(fairlead completion bash)
    try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _fairlead; echo "\${COMPREPLY[*]}"; }
    try fairlead app
    try fairlead app get
    try fairlead app list --out
    try fairlead app list -o y
    try fairlead proj windows en
  `;
  const { stdout } = await run('bash', ['--norc', '-c', script], { env });
  expect(stdout.split('\n').map((line) => line.split(/\s+/))).toEqual([
    ['app', 'appset'],
    ['get', 'get-resource'],
    ['--output'],
    ['yaml'],
    ['enable-manual-sync', 'enable-sync-overrun', 'enable-use-and-operator'],
    [''],
  ]);
});

/** The folder of a file below what the packages would install. */
function folderOf(file: string): string {
  const found = readdirSync(shells ?? '', { recursive: true, encoding: 'utf8' }).find((one) =>
    one.endsWith(file),
  );
  if (!found) throw new Error(`the packages have no ${file}`);
  return dirname(join(shells ?? '', found));
}

test.skipIf(!shells)(
  'zsh completes on the first Tab and the next, from a file in fpath and sourced',
  async () => {
    const functions = join(folder.path, 'zfunc');
    mkdirSync(functions);
    writeFileSync(
      join(functions, '_fairlead'),
      (await run('fairlead', ['completion', 'zsh'], { env })).stdout,
    );
    // the widget calls the function with these variables, and _describe shows what it found
    const script = `
    module_path=(${dirname(folderOf('zsh/parameter.so'))})
    _describe() { local -a all; all=("\${(@P)\${@[-1]}}"); print -r -- \${(j:|:)all} }
    try() { words=("$@"); CURRENT=$#; _fairlead }
    fpath=(${functions} $fpath)
    autoload -Uz _fairlead
    try fairlead app sy
    try fairlead completion ''
    unfunction _fairlead
    compdef() { print -r -- $@ }
    source <(fairlead completion zsh)
    try fairlead proj windows en
  `;
    const { stdout } = await run(join(shells ?? '', 'bin/zsh'), ['-f', '-c', script], { env });
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^sync:bring /),
      'bash|zsh|fish',
      '_fairlead fairlead',
      expect.stringMatching(/^enable-manual-sync:.*\|enable-use-and-operator:/),
      '',
    ]);
  },
);

test.skipIf(!shells)('fish completes commands with their descriptions', async () => {
  const libraries = { LD_LIBRARY_PATH: folderOf('libpcre2-32.so.0') };
  const script = `
    fairlead completion fish | source
    complete -C'fairlead app sy'
    complete -C'fairlead completion '
  `;
  const fish = join(shells ?? '', 'usr/bin/fish');
  const { stdout } = await run(fish, ['--no-config', '-c', script], { env: { ...env, ...libraries } });
  expect(stdout).toMatch(/^sync\tbring .*\nbash\t?\nfish\t?\nzsh\t?\n$/);
});

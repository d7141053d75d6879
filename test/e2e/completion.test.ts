import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../git-repository.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../dist/main/fairlead.js');

// The script of `fairlead completion bash`, sourced by a real bash, which asks the program for the words as a user types them.
test('bash completes commands, flags and formats', async () => {
  const folder = await temporaryFolder();
  try {
    mkdirSync(join(folder.path, 'bin'));
    const command = `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`;
    writeFileSync(join(folder.path, 'bin/fairlead'), command, { mode: 0o755 });
    const script = `
      source <(fairlead completion bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _fairlead; echo "\${COMPREPLY[*]}"; }
      try fairlead app
      try fairlead app get
      try fairlead app list --out
      try fairlead app list -o y
      try fairlead proj windows en
    `;
    const env = { PATH: `${folder.path}/bin:${process.env.PATH}`, HOME: folder.path };
    const { stdout } = await run('bash', ['--norc', '-c', script], { env });
    expect(stdout.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['app', 'appset'],
      ['get', 'get-resource'],
      ['--output'],
      ['yaml'],
      ['enable-manual-sync', 'enable-use-and-operator'],
      [''],
    ]);
  } finally {
    await folder.remove();
  }
});

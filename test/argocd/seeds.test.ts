import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../e2e/fairlead.ts';
import { commandIn, printedLines, seedSteps, writeSeedFiles } from '../e2e/seed-commands.ts';
import { type Argocd, startArgocd } from './argocd.ts';

// compat server §8.2: the command lines of the users' guides, typed with the unmodified argocd; test/e2e/cli-seeds.test.ts types them
// with ours.

let argocd: Argocd;
beforeAll(async () => {
  argocd = await startArgocd();
});
afterAll(async () => {
  await argocd?.fairlead.stop();
  if (argocd) forget(argocd.fairlead);
});

test('every line that the guides print is among the steps', () => {
  const typed = seedSteps.map(({ run }) => commandIn(run));
  const isTyped = (line: string): boolean => {
    const { command, flags } = commandIn(line);
    return typed.some((one) => one.command === command && flags.every((flag) => one.flags.includes(flag)));
  };
  expect(printedLines.length).toBeGreaterThan(30);
  expect(printedLines.filter((line) => !isTyped(line))).toEqual([]);
});

test('every step ends with the same exit code, or the one that argocd is known for', async () => {
  const { fairlead, host, run, folder } = argocd;
  writeSeedFiles(fairlead);
  const { stdout } = await fairlead.kubectl('config', 'view', '--raw', '--minify', '--output=json');
  const variables: Record<string, string> = {
    HOST: host,
    PASSWORD: fairlead.password,
    REPO: `file://${fairlead.demo}`,
    DEMO: fairlead.demo,
    FOLDER: fairlead.folder,
    KUBECONFIG: join(fairlead.dataDir, 'kubeconfig'),
    CONTEXT: (JSON.parse(stdout) as { 'current-context': string })['current-context'],
  };
  mkdirSync(join(folder, 'config'), { recursive: true });
  const others: object[] = [];
  for (const { run: line, code = 0, argocd: known = code } of seedSteps) {
    const words = line.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '').split(' ');
    const printed = await run(...words, ...(words[0] === 'login' ? ['--plaintext'] : []));
    if (printed.code !== known) others.push({ line, code: printed.code, stderr: printed.stderr });
  }
  expect(others).toEqual([]);
});

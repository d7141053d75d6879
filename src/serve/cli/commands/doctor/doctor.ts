import { basename, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { printJson } from '#base/std';
import {
  checks,
  type Diagnosis,
  type DoctorFinding,
  diagnoseFiles,
  readDoctorFile,
  type Severity,
} from '#engine/doctor';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { paintDiff, paintFor } from '../../output/colour.ts';
import { diffOf, type FixedFile, fixedFiles, writeFixed } from './fix-files.ts';
import { examineLive } from './live.ts';
import { type DoctorTree, maxBytes, readTree } from './read-tree.ts';
import { renderTree } from './render-tree.ts';
import { doctorJson, sarifOf } from './report-sarif.ts';
import { checkList, counted, doctorText } from './report-text.ts';

type Flags = {
  live?: boolean;
  list?: boolean;
  fix?: boolean;
  dryRun?: boolean;
  severity: string;
  ignore?: string[];
  output: string;
};

const severities: readonly Severity[] = ['error', 'warning', 'note'];

/** `doctor`: what is wrong, or will be, with manifests on this machine or with an installation. */
export function addDoctor(doctor: Command, deps: CliDeps): void {
  doctor
    .argument(
      '[path...]',
      'folders or files (-: standard input; default: this folder); with --live, applications',
    )
    .option('--live', 'examine an installation, over its API, instead of files')
    .option('--fix', 'write the safe fixes into the files; nothing else of them changes')
    .option('--dry-run', 'with --fix: print what it would change, and write nothing')
    .option('--severity <severity>', 'report error, warning or note, and all above it', 'warning')
    .option('--ignore <id>', 'leave this check out; may be repeated', collectList)
    .option('--list', 'print all checks')
    .option('-o, --output <format>', 'text, json or sarif', 'text')
    .addHelpText(
      'after',
      `
Exit codes: 0 nothing found, 1 something found, 20 the examination itself failed.
In a file: # fairlead-doctor: ignore ID (reason), on the line or above it; ignore-file for all of it.`,
    )
    .action(async (paths: string[], flags: Flags) => {
      const wish = readWish(paths, flags);
      if (flags.list) return deps.io.out(listed(wish));
      const result = wish.isLive ? await examinedLive(deps, wish) : await examinedFiles(deps, wish);
      deps.io.out(printed(deps, wish, result));
      if (result.findings.length > 0) throw new ExitError(1, '');
    });
  examples(
    doctor,
    'fairlead doctor',
    'fairlead doctor apps/ --severity note',
    'fairlead doctor --fix --dry-run',
    'fairlead doctor . -o sarif > doctor.sarif',
    'fairlead doctor --live shop',
  );
}

type Wish = {
  readonly paths: readonly string[];
  readonly isLive: boolean;
  readonly fix: 'write' | 'show' | undefined;
  readonly shown: ReadonlySet<Severity>;
  readonly ignored: ReadonlySet<string>;
  readonly output: 'text' | 'json' | 'sarif';
};

function readWish(paths: readonly string[], flags: Flags): Wish {
  const { live = false, fix = false, dryRun = false, severity, ignore = [], output } = flags;
  const problem = problemIn(paths, flags);
  if (problem !== undefined) throw new ExitError(usageExitCode, problem);
  return {
    paths: paths.length > 0 || live ? paths : ['.'],
    isLive: live,
    fix: fix ? (dryRun ? 'show' : 'write') : undefined,
    shown: new Set(severities.slice(0, severities.indexOf(severity as Severity) + 1)),
    ignored: new Set(ignore),
    output: output as Wish['output'],
  };
}

/** Why the flags cannot be obeyed. */
function problemIn(paths: readonly string[], flags: Flags): string | undefined {
  const { live = false, fix = false, dryRun = false, severity, ignore = [], output } = flags;
  const strange = ignore.filter((id) => !checks.some((check) => check.id === id));
  if (strange.length > 0) return `--ignore ${strange.join(', ')}: there is no such check; see --list`;
  if (!severities.some((one) => one === severity))
    return `unknown --severity ${severity}: use error, warning or note`;
  if (!['text', 'json', 'sarif'].includes(output))
    return `unknown output format ${output}: use text, json or sarif`;
  if (dryRun && !fix) return '--dry-run is about --fix: give both';
  return fix && (live || paths.includes('-')) ? '--fix changes files: give a folder or a file' : undefined;
}

/** The result of an examination, ready to be printed. */
type Examined = {
  readonly findings: readonly DoctorFinding[];
  readonly summary: {
    readonly examined: string;
    readonly below: number;
    readonly ignored: number;
    readonly remarks: readonly string[];
  };
  readonly fixed: readonly FixedFile[];
  readonly texts: ReadonlyMap<string, string>;
};

/** Keeps what the user wants to see. */
function wanted({ findings }: Diagnosis, { shown, ignored }: Wish): { kept: DoctorFinding[]; below: number } {
  const named = findings.filter(({ check }) => !ignored.has(check.id));
  const kept = named.filter(({ severity }) => shown.has(severity));
  return { kept, below: named.length - kept.length };
}

async function examinedLive(deps: CliDeps, wish: Wish): Promise<Examined> {
  const diagnosis = await examineLive(deps, wish.paths);
  const { kept, below } = wanted(diagnosis, wish);
  const { examined, remarks, ignored } = diagnosis;
  return { findings: kept, summary: { examined, below, ignored, remarks }, fixed: [], texts: new Map() };
}

async function examinedFiles(deps: CliDeps, wish: Wish): Promise<Examined> {
  const parts: Examined[] = [];
  for (const path of wish.paths) {
    const tree = path === '-' ? await standardInput() : await readTree(path);
    parts.push(await examinedTree(deps, wish, tree));
  }
  const [first] = parts;
  if (first && parts.length === 1) return first;
  return {
    findings: parts.flatMap(({ findings }) => findings),
    summary: {
      examined: parts.map(({ summary }) => summary.examined).join(' and '),
      below: parts.reduce((sum, { summary }) => sum + summary.below, 0),
      ignored: parts.reduce((sum, { summary }) => sum + summary.ignored, 0),
      remarks: parts.flatMap(({ summary }) => summary.remarks),
    },
    fixed: parts.flatMap(({ fixed }) => fixed),
    texts: new Map(parts.flatMap(({ texts }) => [...texts])),
  };
}

async function standardInput(): Promise<DoctorTree> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes)
      throw new ExitError(20, `standard input is larger than ${maxBytes} bytes: give a folder`);
  }
  return { root: '', files: [readDoctorFile('stdin', Buffer.concat(chunks).toString('utf8'))], remarks: [] };
}

async function examinedTree(deps: CliDeps, wish: Wish, tree: DoctorTree): Promise<Examined> {
  const renders = tree.root === '' ? [] : await renderTree(deps, tree);
  const diagnosis = diagnoseFiles({ files: tree.files, renders });
  const { kept, below } = wanted(diagnosis, wish);
  const fixed = wish.fix ? fixedFiles(kept, tree.files, renders) : [];
  if (wish.fix === 'write') await writeFixed(tree.root, fixed);
  const all = [...renders.flatMap(({ files }) => files), ...tree.files];
  // code hosts know the paths of a repository, people those of the folder they are in
  const here = (path: string): string => (wish.output === 'sarif' ? path : fromHere(tree.root, path));
  const left = wish.fix === 'write' ? kept.filter(({ edit }) => !edit) : kept;
  return {
    findings: left.map((one) => (one.file === undefined ? one : { ...one, file: here(one.file) })),
    summary: {
      examined: `${counted(tree.files.length, 'file')}, ${counted(diagnosis.objects, 'object')}`,
      below,
      ignored: diagnosis.ignored,
      remarks: tree.remarks,
    },
    fixed: fixed.map((one) => ({ ...one, path: here(one.path) })),
    texts: new Map(all.map(({ path, text }) => [here(path), text])),
  };
}

/** A path as the user would type it here. */
function fromHere(root: string, path: string): string {
  if (root === '') return path;
  const near = relative(resolve('.'), join(root, path));
  return near === '' ? basename(path) : near;
}

function listed({ output }: Wish): string {
  if (output === 'text') return checkList(checks);
  const data = checks.map(({ id, severity, title, why, fix, reads }) => ({
    id,
    severity,
    title,
    why,
    fix,
    reads,
  }));
  return `${printJson(data, 2)}\n`;
}

function printed({ io, version }: CliDeps, { output, fix }: Wish, result: Examined): string {
  const { findings, summary, fixed, texts } = result;
  if (output === 'json') return `${printJson(doctorJson(findings, summary, fixed), 2)}\n`;
  if (output === 'sarif') return `${printJson(sarifOf(findings, version, texts), 2)}\n`;
  const paint = paintFor(io);
  if (fix === 'show')
    return `${fixed.map((file) => paintDiff(diffOf(file), paint)).join('')}${doctorText(findings, summary, paint)}`;
  const done = fixed.map(({ path, count }) => `fixed ${counted(count, 'finding')} in ${path}\n`);
  return `${done.join('')}${doctorText(findings, summary, paint)}`;
}

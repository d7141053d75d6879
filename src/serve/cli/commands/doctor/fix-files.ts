import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textDiff } from '#engine';
import type { DoctorFile, DoctorFinding, DoctorRender } from '#engine/doctor';
import { applyEdits, type YamlEdit } from '#lang/yaml';
import { ExitError } from '../../io.ts';

/** A file before and after its safe fixes. */
export type FixedFile = {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The number of findings that this mends. */
  readonly count: number;
};

/** The files that change when the safe fixes of these findings are made. */
export function fixedFiles(
  findings: readonly DoctorFinding[],
  files: readonly DoctorFile[],
  renders: readonly DoctorRender[],
): FixedFile[] {
  const texts = new Map(
    [...renders.flatMap((render) => render.files), ...files].map(({ path, text }) => [path, text]),
  );
  const edits = new Map<string, YamlEdit[]>();
  for (const { file, edit } of findings) {
    if (file !== undefined && edit) edits.set(file, [...(edits.get(file) ?? []), edit]);
  }
  return [...edits].flatMap(([path, own]) => {
    const before = texts.get(path);
    return before === undefined ? [] : [{ path, before, after: applyEdits(before, own), count: own.length }];
  });
}

/** What the fixes change, as a unified diff. */
export const diffOf = ({ path, before, after }: FixedFile): string => textDiff(path, before, after);

/** Writes the fixed files, each as a whole or not at all. A file that changed since it was read is left as it is. */
export async function writeFixed(root: string, files: readonly FixedFile[]): Promise<void> {
  for (const { path, before, after } of files) {
    const at = join(root, path);
    if ((await readFile(at, 'utf8')) !== before)
      throw new ExitError(
        20,
        `${path} was changed by another program meanwhile: run fairlead doctor --fix again`,
      );
    const beside = `${at}.fairlead-doctor`;
    try {
      await writeFile(beside, after, { mode: (await stat(at)).mode, flag: 'wx' });
      await rename(beside, at);
    } catch (error) {
      await rm(beside, { force: true });
      throw new ExitError(20, `cannot write ${path}: ${(error as Error).message}`);
    }
  }
}

import { type Application, effectiveSources } from '#base/model';
import { wholeNumber } from '../../input/flag-values.ts';
import { ExitError, usageExitCode } from '../../io.ts';

export type RevisionFlags = {
  revision?: string;
  revisions?: string[];
  sourcePositions?: string[];
  sourceNames?: string[];
};

/** compat server §8.4: the sources that --revisions is about, counted from 1; one for each revision. */
export function positionsOf({ spec, metadata }: Application, flags: RevisionFlags): number[] {
  const sources = effectiveSources(spec);
  const { revisions = [], sourcePositions, sourceNames } = flags;
  if (sourcePositions && sourceNames)
    throw new ExitError(
      usageExitCode,
      '--source-positions and --source-names name the same: give one of them',
    );
  const positions =
    sourcePositions?.map((text) => wholeNumber('--source-positions', text)) ??
    (sourceNames ?? []).map((name) => {
      const at = sources.findIndex((source) => source.name === name);
      if (at >= 0) return at + 1;
      throw new ExitError(usageExitCode, `application '${metadata.name}' has no source named ${name}`);
    });
  if (positions.length !== revisions.length)
    throw new ExitError(
      usageExitCode,
      `--revisions has ${revisions.length} revisions for ${positions.length} sources: give --source-positions or --source-names with one for each`,
    );
  const outside = positions.find((at) => at < 1 || at > sources.length);
  if (outside === undefined) return positions;
  throw new ExitError(
    usageExitCode,
    `--source-positions ${outside} is out of range: the application has ${sources.length} sources, counted from 1`,
  );
}
